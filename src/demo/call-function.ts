/** Calls a function of the client, or a tool of an MCP server, as agents do: it starts the program of the server and speaks MCP to it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { WantedCall } from './asked-words.ts'
import type { AgentName, DemoFunctionCall } from './demo-answer.ts'
import { sampleOf } from './sample-value.ts'

type ServerProgram = { command: string; args: readonly string[] }
type Servers = Readonly<Record<string, ServerProgram>>
type Place = { argv: readonly string[]; env: Readonly<Record<string, string | undefined>> }
type FunctionTool = { name: string; inputSchema: Readonly<Record<string, unknown>> }
type FunctionResult = { text: string; isError: boolean }

/** Drover's name for the server with the functions of the client. */
const CLIENT = 'client'

/** Where each agent has its MCP servers. */
const SERVERS: Readonly<Record<AgentName, (place: Place) => Servers>> = {
  claude: ({ argv }) => serversIn(argv[argv.indexOf('--mcp-config') + 1]),
  codex: ({ argv }) => {
    const settings = argv.map((word) => /^mcp_servers\.(\w+)\.(command|args)=(.*)$/s.exec(word))
    const servers: Record<string, Record<string, unknown>> = {}
    for (const [, server = '', name = '', value = ''] of settings.filter((found) => found !== null))
      servers[server] = { ...servers[server], [name]: JSON.parse(value) }
    return servers as Servers
  },
  gemini: ({ env }) => serversIn(join(env['GEMINI_CLI_HOME'] ?? '', '.gemini', 'settings.json')),
}

function serversIn(path = ''): Servers {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { mcpServers?: Servers }).mcpServers ?? {}
  } catch {
    return {}
  }
}

/** Undefined if no server has the function. */
export async function callFunction(
  wanted: WantedCall,
  { agent, onCall, ...place }: Place & { agent: AgentName; onCall: (call: DemoFunctionCall) => void },
): Promise<{ call: DemoFunctionCall; result: FunctionResult } | undefined> {
  for (const [server, program] of Object.entries(SERVERS[agent](place))) {
    if (wanted.name === undefined && server !== CLIENT) continue
    const client = await startServer(program)
    try {
      const { tools = [] } = (await client.request('tools/list', {})) as { tools?: FunctionTool[] }
      const tool = tools.find(({ name }) => (wanted.name ?? name) === name && wanted.only?.includes(name) !== false)
      if (tool === undefined) continue
      const { name, inputSchema } = tool
      const call = { server, name, input: wanted.input ?? (sampleOf(inputSchema) as Record<string, unknown>) }
      onCall(call)
      return { call, result: toResult(await client.request('tools/call', { name, arguments: call.input })) }
    } finally {
      client.close()
    }
  }
  return undefined
}

function toResult(result: object): FunctionResult {
  const { content = [], isError = false } = result as {
    content?: { text?: string; mimeType?: string }[]
    isError?: boolean
  }
  return { text: content.map(({ text, mimeType }) => text ?? `<${mimeType}>`).join('\n'), isError }
}

type Answer = { id?: number; result?: object; error?: { message: string } }

async function startServer({ command, args }: ServerProgram) {
  // Most turns call nothing, and it takes long to load.
  // biome-ignore lint/style/noRestrictedImports: a separate program, which starts what a real agent would
  const { spawn } = await import('node:child_process')
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  const waiting = new Map<number, (answer: Answer) => void>()
  const endAll = () => {
    for (const answer of waiting.values()) answer({ error: { message: 'the MCP server has ended' } })
  }
  child.on('error', endAll).on('close', endAll)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.id ?? 0)?.(answer)
  })
  const request = async (method: string, params: object): Promise<object> => {
    const id = waiting.size + 1
    const answered = Promise.withResolvers<Answer>()
    waiting.set(id, answered.resolve)
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { result, error } = await answered.promise
    return result ?? { content: [{ text: error?.message ?? 'no result' }], isError: true }
  }
  const clientInfo = { name: 'drover-demo-agent', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return { request, close: () => child.stdin.end() }
}
