/** What `POST /mcp` sends and demands on the wire in the revision 2026-07-28, and that older clients get what they know. */
import { describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Sent = { headers?: Record<string, string>; params?: object; version?: string }

async function send(method: string, { headers = {}, params = {}, version = VERSION }: Sent = {}) {
  const server = await startServer()
  const answer = await server.request('/mcp', {
    method: 'POST',
    headers: { 'mcp-protocol-version': version, 'mcp-method': method, ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
  })
  return { status: answer.status, ...(answer.body as { result?: object; error?: { code: number } }) }
}

describe('the MCP endpoint in the revision 2026-07-28', () => {
  it('describes itself: its versions, its tools, and who it is', async () => {
    const { status, result } = await send('server/discover')
    expect(status).toBe(200)
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([VERSION]),
      capabilities: { tools: {} },
      instructions: expect.stringContaining('drover'),
    })
  })

  it('says that its list of tools is complete, and how long it may be kept', async () => {
    const { result } = await send('tools/list')
    expect(result).toMatchObject({
      resultType: 'complete',
      ttlMs: expect.any(Number),
      cacheScope: expect.stringMatching(/^(?:public|private)$/),
      tools: expect.arrayContaining([expect.objectContaining({ name: 'prompt' })]),
    })
  })

  it('says that the result of a call is complete', async () => {
    const params = { name: 'budget_list', arguments: {} }
    const { result } = await send('tools/call', { params, headers: { 'mcp-name': 'budget_list' } })
    expect(result).toMatchObject({ resultType: 'complete' })
  })

  it.each<[string, string, Sent]>([
    ['another method', 'tools/list', { headers: { 'mcp-method': 'tools/call' } }],
    ['another tool', 'tools/call', { params: { name: 'prompt', arguments: {} }, headers: { 'mcp-name': 'compare' } }],
    ['another version', 'tools/list', { version: '2025-06-18' }],
  ])('refuses a request whose headers name %s than its body', async (_, method, sent) => {
    const { status, error } = await send(method, sent)
    expect([status, error?.code]).toEqual([400, -32_020])
  })

  it('does not send the new fields to a client that begins with initialize', async () => {
    const server = await startServer()
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params: client }
    const answer = await server.request('/mcp', { method: 'POST', body })
    expect(answer.text).toContain('"protocolVersion":"2025-06-18"')
    expect(answer.text).not.toContain('resultType')
  })
})
