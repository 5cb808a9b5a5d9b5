/** The official MCP client, for tests. */
import { Client, type Transport, type VersionNegotiationMode } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { ExecutionView, RunView } from '../../src/mcp/tools.shape.ts'

type McpAnswer = { text: string; isError: boolean; view: ExecutionView & RunView }

type CallOptions = {
  timeout?: number
  signal?: AbortSignal
  onprogress?: (progress: { message?: string | undefined }) => void
}

export type McpClient = {
  client: Client
  call(name: string, given?: Record<string, unknown>, options?: CallOptions): Promise<McpAnswer>
}

/** Both revisions of the protocol that clients speak today. */
export const ERAS: readonly VersionNegotiationMode[] = ['legacy', { pin: '2026-07-28' }]

export async function connectClient(transport: Transport, mode: VersionNegotiationMode = 'legacy'): Promise<McpClient> {
  const client = new Client({ name: 'drover-test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    client,
    call: async (name, given = {}, options = {}) => {
      const result = await client.callTool({ name, arguments: given }, options)
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return { text, isError: result.isError === true, view: (result.structuredContent ?? {}) as McpAnswer['view'] }
    },
  }
}
