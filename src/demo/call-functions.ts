/** The demo agent calls a function of the client where the prompt says that it must: with made-up arguments, as an MCP client. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentName } from './demo-answer.ts'
import { sampleOf } from './sample-value.ts'

type Server = { args: readonly string[] }
type Tool = { name: string; inputSchema: Readonly<Record<string, unknown>> }
type Called = { content?: readonly { text?: string }[] }

const REQUIRED = /Call (?:at least one tool|one of these tools \(([^)]*)\)) of the MCP server "client" now\./g

/** The functions that a text allows for the call that it requires; undefined if it requires none. */
export function requiredCall(text: string): { only?: readonly string[] } | undefined {
  const [, names] = [...text.matchAll(REQUIRED)].at(-1) ?? [undefined]
  if (!text.match(REQUIRED)) return undefined
  return names === undefined ? {} : { only: names.split(', ') }
}

/** Calls as long as a call is required: what the client answers may require another one. */
export async function callFunctions(prompt: string, server: Server): Promise<void> {
  let required = requiredCall(prompt)
  if (required === undefined) return
  // The program that agents start does nothing but connect them with this socket.
  const socket = connect(server.args.at(-1) ?? '')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  let id = 0
  const request = async <T>(method: string, params: object): Promise<T> => {
    id += 1
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const message = JSON.parse(line.value) as { id?: number; result?: T }
      if (message.id === id && message.result !== undefined) return message.result
    }
    throw new Error('the server of the functions is gone')
  }
  const clientInfo = { name: 'demo', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const { tools } = await request<{ tools: readonly Tool[] }>('tools/list', {})
  while (required !== undefined) {
    const { only } = required
    const tool = tools.find(({ name }) => only?.includes(name) !== false)
    if (tool === undefined) break
    const called: Called = await request('tools/call', { name: tool.name, arguments: sampleOf(tool.inputSchema) })
    required = requiredCall((called.content ?? []).map(({ text = '' }) => text).join('\n'))
  }
  socket.end()
}

type Settings = { mcpServers?: { client?: Server } }

/** Where each agent is told about the server of the functions. */
export function findFunctionServer(agent: AgentName, argv: readonly string[], home: string): Server | undefined {
  if (agent === 'codex') return codexServer(argv)
  const path = agent === 'claude' ? argv[argv.indexOf('--mcp-config') + 1] : join(home, '.gemini', 'settings.json')
  try {
    return (JSON.parse(readFileSync(path ?? '', 'utf8')) as Settings).mcpServers?.client
  } catch {
    return undefined
  }
}

/** `-c mcp_servers.client.args=[…]`, a TOML list, which JSON can read. */
function codexServer(argv: readonly string[]): Server | undefined {
  const start = 'mcp_servers.client.args='
  const args = argv.find((word) => word.startsWith(start))?.slice(start.length)
  return args === undefined ? undefined : { args: JSON.parse(args) as string[] }
}
