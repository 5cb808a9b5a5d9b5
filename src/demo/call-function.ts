/** Calls a function of the client, or a tool of an MCP server, as agents do: it starts the program of the server and speaks MCP to it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentName, DemoFunctionCall, WantedCall } from './demo-answer.ts'

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

/** The smallest value that matches a schema, where drover's demo agent can find one. Pure. */
type Schema = { readonly [keyword: string]: unknown }

/** A schema may contain itself. */
const MAX_DEPTH = 20

export function sampleOf(root: Schema): unknown {
  return sample(root, { root, depth: 0 })
}

function sample(schema: unknown, { root, depth }: { root: Schema; depth: number }): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return null
  const inner = (part: unknown) => sample(part, { root, depth: depth + 1 })
  if ('const' in schema) return schema['const']
  const [first] = [schema['enum'], schema['examples']].find((list) => Array.isArray(list)) ?? []
  if (first !== undefined) return first
  if ('default' in schema) return schema['default']
  if (typeof schema['$ref'] === 'string') return inner(findPart(root, schema['$ref']))
  const alternatives = listAt(schema, 'anyOf') ?? listAt(schema, 'oneOf')
  if (alternatives !== undefined) return inner({ ...schema, anyOf: undefined, oneOf: undefined, ...alternatives[0] })
  const all = listAt(schema, 'allOf')
  if (all !== undefined) return inner(Object.assign({ ...schema, allOf: undefined }, ...all))
  return sampleOfType(schema, inner)
}

function sampleOfType(schema: Schema, inner: (part: unknown) => unknown): unknown {
  switch ([schema['type']].flat()[0] ?? (isSchema(schema['properties']) ? 'object' : 'string')) {
    case 'object': {
      const properties = isSchema(schema['properties']) ? schema['properties'] : {}
      return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]))
    }
    case 'array': {
      const firsts = listAt(schema, 'prefixItems') ?? []
      const count = Math.max(firsts.length, numberAt(schema, 'minItems') ?? 1)
      return Array.from({ length: count }, (_, at) => inner(firsts[at] ?? schema['items']))
    }
    case 'integer':
    case 'number':
      return numberAt(schema, 'minimum') ?? (numberAt(schema, 'exclusiveMinimum') ?? -1) + 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'demo'.padEnd(numberAt(schema, 'minLength') ?? 0, '.').slice(0, numberAt(schema, 'maxLength'))
  }
}

/** Only inside of the schema, as `#/$defs/name`. */
function findPart(root: Schema, reference: string): unknown {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>((part, name) => (isSchema(part) ? part[name] : undefined), root)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listAt(schema: Schema, keyword: string): Schema[] | undefined {
  const list = schema[keyword]
  return Array.isArray(list) ? list.filter(isSchema) : undefined
}

function numberAt(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}
