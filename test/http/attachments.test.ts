/** Images and documents with a prompt, on every API of the server. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { Execution } from '../../src/executions/store/execution.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { installAcpAgent, receivedFrames } from '../support/acp-agent.ts'
import { connectClient } from '../support/mcp-client.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { PDF, PNG } from '../support/sample-files.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'

/** Answers as claude does, with the types of the blocks that it was sent and the digests of those with data. */
const MIRROR = `#!${process.execPath}
let text = ''
process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
  const blocks = text.startsWith('{"type":"user"') ? JSON.parse(text).message.content : [{ type: 'text', text }]
  const hash = (data) => require('node:crypto').createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex')
  const seen = blocks.map(({ type, text, source }) => (type === 'text' ? text : type + ' ' + hash(source.data)))
  const usage = { input_tokens: 1, output_tokens: 1 }
  const id = '11111111-1111-4111-8111-111111111111'
  console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: id, model: 'mirror' }))
  console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: seen.join('|'), session_id: id, usage }))
})
`
/** Answers as codex does, with the digest of the image that its command names. */
const READER = `#!${process.execPath}
const path = process.argv.map((word) => word.replace(/^--image=/, '')).find((word) => word.endsWith('.png'))
const hash = require('node:crypto').createHash('sha256').update(require('node:fs').readFileSync(path)).digest('hex')
const print = (event) => console.log(JSON.stringify(event))
print({ type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' })
print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'image ' + hash } })
print({ type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } })
`
const [png, pdf] = [PNG.toString('base64'), PDF.toString('base64')]
const [PNG_DIGEST, PDF_DIGEST] = [digest(PNG), digest(PDF)]
const SEEN_PNG = `image ${PNG_DIGEST.slice('sha256:'.length)}`
const SEEN_PDF = `document ${PDF_DIGEST.slice('sha256:'.length)}`
const attachments = [{ data: png, name: 'shot.png' }, { data: pdf }]
const records = [
  { digest: PNG_DIGEST, media_type: 'image/png', size: PNG.length, name: 'shot.png' },
  { digest: PDF_DIGEST, media_type: 'application/pdf', size: PDF.length },
]

async function start(options: ServerOptions = {}) {
  const config = { backends: { claude: { command: install(MIRROR) } }, ...options.config }
  return await startServer({ ...options, agents: 'none', config })
}

function install(program: string): string {
  const command = join(temporaryDirectory(), 'agent.cjs')
  writeFileSync(command, program, { mode: 0o755 })
  return command
}

const post = (server: TestServer, path: string, body: object, headers: Record<string, string> = {}) =>
  server.request(path, { method: 'POST', body, headers: { 'anthropic-version': '2023-06-01', ...headers } })

const prompt = async (server: TestServer, body: object = {}) =>
  (await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'what?', ...body })).body as Record<string, string>

describe('attachments', () => {
  it('of a native prompt reach the agent, are stored once, and are served', async () => {
    const server = await start()
    const { output, execution_id: id, session_id: session } = await prompt(server, { attachments })
    expect(output).toBe(`${SEEN_PNG}|${SEEN_PDF}|what?`)
    const execution = (await server.request(`/api/v1/executions/${id}`)).body as Execution
    expect(execution).toMatchObject({ prompt: 'what?', attachments: records })
    const turns = (await server.request(`/api/v1/sessions/${session}?turns=true`)).body
    expect(turns).toMatchObject({ turns: [{ attachments: records }] })
    const path = `/api/v1/executions/${id}/attachments/${PNG_DIGEST}`
    const response = await fetch(`${server.url}${path}`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: `"${PNG_DIGEST}"`,
    })
    const file = await fetch(`${server.url}/api/v1/executions/${id}/attachments/${PDF_DIGEST}`)
    expect([file.headers.get('content-disposition'), file.headers.get('content-type')]).toEqual([
      'attachment',
      'application/pdf',
    ])
    const gone = await server.request(`/api/v1/executions/${id}/attachments/sha256:${'0'.repeat(64)}`)
    expect(gone).toMatchObject({ status: 404, body: { error: 'attachment_not_found' } })
    const next = await post(server, `/api/v1/sessions/${session}/resume`, {
      prompt: 'and?',
      attachments: attachments.slice(1),
    })
    expect(next.body).toMatchObject({ output: `${SEEN_PDF}|and?` })
  })

  it('are seen by a key that sees the session, and by no other', async () => {
    const keyOf = (name: string) => ({ name, sha256: digest(`${name}-key-0123456789`) })
    const server = await start({ server: { keys: ['ada', 'bob'].map(keyOf) } })
    const as = (name: string) => ({ 'x-api-key': `${name}-key-0123456789` })
    const sent = async (more: object) => {
      const body = { backend: 'claude', prompt: 'what?', attachments, ...more }
      return ((await post(server, '/api/v1/prompt', body, as('ada'))).body as Record<string, string>)['execution_id']
    }
    const ask = async (id: string | undefined, name: string) =>
      (await server.request(`/api/v1/executions/${id}/attachments/${PNG_DIGEST}`, { headers: as(name) })).status
    const [own, shared] = [await sent({}), await sent({ shared: true })]
    expect([await ask(own, 'ada'), await ask(own, 'bob'), await ask(shared, 'bob')]).toEqual([200, 404, 200])
  })

  it.each<[string, object, (body: never) => unknown]>([
    [
      '/openai/v1/chat/completions',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'what?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
              { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' } },
            ],
          },
        ],
      },
      (body: { choices: { message: { content: string } }[] }) => body.choices[0]?.message.content,
    ],
    [
      '/anthropic/v1/messages',
      {
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'what?' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
            ],
          },
        ],
      },
      (body: { content: { text: string }[] }) => body.content[0]?.text,
    ],
    [
      '/openai/v1/responses',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'what?' },
              { type: 'input_image', image_url: `data:image/png;base64,${png}` },
              { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'a.pdf' },
            ],
          },
        ],
      },
      (body: { output: { content: { text: string }[] }[] }) => body.output.at(-1)?.content[0]?.text,
    ],
  ])('of %s reach the agent', async (path, body, answerOf) => {
    const server = await start()
    const { status, body: answer } = await post(server, path, { model: 'claude', ...body })
    expect([status, answerOf(answer as never)]).toEqual([
      200,
      `${SEEN_PNG}|${SEEN_PDF}|what?\n[attachment 1: image/png]\n[attachment 2: application/pdf]`,
    ])
  })

  it.skipIf(POSTGRES_PROGRAMS === undefined)('reach an agent on another machine', async () => {
    const url = await createPostgresDatabase()
    await start({ postgres: { url, machine: 'one' } })
    const door = await startServer({ agents: 'none', isWorker: false, postgres: { url, machine: 'door' } })
    const { output, execution_id: id } = await prompt(door, { attachments })
    expect(output).toBe(`${SEEN_PNG}|${SEEN_PDF}|what?`)
    const response = await fetch(`${door.url}/api/v1/executions/${id}/attachments/${PNG_DIGEST}`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
  })

  it('are files that an agent in a sandbox can read', async (test) => {
    skipWithoutSandbox(test)
    const command = install(READER)
    const server = await startServer({
      ...{ agents: 'none', env: { PATH: process.env['PATH'] ?? '' } },
      config: { backends: { codex: { command } }, sandbox: { mode: 'required', read: [dirname(command)] } },
    })
    const read = await prompt(server, { backend: 'codex', attachments: attachments.slice(0, 1) })
    expect(read).toMatchObject({ output: SEEN_PNG, boundary: { enforced_by: 'bubblewrap' } })
  })

  it('of an MCP tool reach the agent', async () => {
    const server = await start()
    const { call } = await connectClient(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    const { view } = await call('prompt', { prompt: 'what?', backend: 'claude', attachments })
    expect(view.output).toBe(`${SEEN_PNG}|${SEEN_PDF}|what?`)
  })

  it('go to an agent that speaks ACP as images and links, and to one that takes none as an error', async () => {
    const directory = temporaryDirectory()
    const command = [installAcpAgent(directory, {}, 'fake-acp')]
    const backends = {
      fake: { protocol: 'acp', command },
      blind: { protocol: 'acp', command, profile: { images: 'no' } },
    }
    const server = await startServer({ agents: 'none', env: { PATH: process.env['PATH'] ?? '' }, config: { backends } })
    await prompt(server, { backend: 'fake', prompt: 'hello', attachments })
    const sent = receivedFrames(directory).find(({ method }) => method === 'session/prompt') as { params?: object }
    expect(sent.params).toMatchObject({
      prompt: [
        { type: 'text', text: 'hello' },
        { type: 'image', mimeType: 'image/png', data: png },
        {
          type: 'resource_link',
          mimeType: 'application/pdf',
          uri: expect.stringMatching(/^file:.*\/attachments\/2\.pdf$/),
        },
      ],
    })
    const refused = await post(server, '/api/v1/prompt', { backend: 'blind', prompt: 'what?', attachments })
    expect(refused).toMatchObject({ status: 400, body: { error: 'attachments_unsupported' } })
    expect(refused.text).toContain('blind takes no images; use claude, codex or gemini')
  })

  it('that cannot be sent are refused, and nothing is started', async () => {
    const server = await start({ server: { max_request_body_bytes: 0 } })
    const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]).toString('base64')
    for (const wrong of [
      [{ data: large }],
      [{ data: 'AAAA' }],
      [{ data: pdf, media_type: 'image/png' }],
      Array(21).fill({ data: png }),
    ]) {
      const refused = await post(server, '/api/v1/prompt', { backend: 'claude', prompt: 'what?', attachments: wrong })
      expect(refused).toMatchObject({ status: 400, body: { error: 'attachment_invalid' } })
    }
    const url = 'https://example.com/a.png'
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    const linked = await post(server, '/openai/v1/chat/completions', { model: 'claude', messages })
    expect([linked.status, linked.text]).toEqual([
      400,
      expect.stringContaining('ask the operator for server.fetch_images'),
    ])
    expect((await server.request('/api/v1/executions')).body).toMatchObject({ executions: [] })
  })

  it('are fetched by their address if the operator wants that, but not from private hosts', async () => {
    const server = await start({ server: { fetch_images: true } })
    const url = `${server.url}/docs/favicon-32x32.png`
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    const refused = await post(server, '/openai/v1/chat/completions', { model: 'claude', messages })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('private address')])
    const open = await start({ server: { fetch_images: true, fetch_private_hosts: ['127.0.0.1'] } })
    const fetched = await post(open, '/openai/v1/chat/completions', { model: 'claude', messages })
    expect([fetched.status, fetched.text]).toEqual([200, expect.stringContaining('image ')])
  })
})
