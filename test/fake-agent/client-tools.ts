/** Calls tools of the first MCP server that the fake agent was given, as agents do: it starts the server's program and speaks to it. */
import type { ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type AgentName, toLines } from '../../src/demo/demo-answer.ts'

export type ToolServer = { command: string; args: string[] }
export type Call = { name: string; input: Record<string, unknown> }
type Result = { content?: { text?: string; mimeType?: string }[]; isError?: boolean }

type Place = { argv: readonly string[]; env: Readonly<Record<string, string | undefined>> }

/** Where each agent has its MCP servers. */
const SERVERS: Readonly<Record<AgentName, (place: Place) => ToolServer | undefined>> = {
  claude: ({ argv }) => serversIn(argv[argv.indexOf('--mcp-config') + 1]),
  codex: ({ argv }) => {
    const setting = (name: string) =>
      argv.find((word) => new RegExp(`^mcp_servers\\.[a-z]+\\.${name}=`).test(word))?.split('=')[1]
    const [command, args] = [setting('command'), setting('args')]
    return command && args ? { command: JSON.parse(command), args: JSON.parse(args) } : undefined
  },
  gemini: ({ env }) => serversIn(join(env['GEMINI_CLI_HOME'] ?? '', '.gemini', 'settings.json')),
}

function serversIn(path = ''): ToolServer | undefined {
  try {
    return Object.values<ToolServer>(JSON.parse(readFileSync(path, 'utf8')).mcpServers)[0]
  } catch {
    return undefined
  }
}

export function findToolServer(agent: AgentName, place: Place): ToolServer | undefined {
  return SERVERS[agent](place)
}

/** How each agent prints that it calls a tool. */
export function announce(agent: AgentName, { name, input }: Call, id: string): string {
  if (agent === 'codex') {
    const item = { id, type: 'mcp_tool_call', server: 'client', tool: name, arguments: input, status: 'in_progress' }
    return toLines([{ type: 'item.started', item }])
  }
  if (agent === 'gemini')
    return toLines([{ type: 'tool_use', tool_name: `mcp_client_${name}`, tool_id: id, parameters: input }])
  const block = { type: 'tool_use', id, name: `mcp__client__${name}`, input }
  return toLines([{ type: 'assistant', message: { content: [block] }, session_id: '' }])
}

export class ToolClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, (frame: { result?: Result }) => void>()
  #lastId = 0

  constructor({ command, args }: ToolServer) {
    // Most turns call no tool, and it takes long to load.
    const { spawn } = process.getBuiltinModule('node:child_process')
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdin.on('error', () => {})
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const frame = JSON.parse(line)
      this.#waiting.get(frame.id)?.(frame)
    })
  }

  async initialize(): Promise<string[]> {
    const clientInfo = { name: 'fake', version: '1' }
    await this.#request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    const listed = (await this.#request('tools/list', {})) as { result?: { tools?: { name: string }[] } }
    return (listed.result?.tools ?? []).map(({ name }) => name)
  }

  /** The texts of the result. */
  async call({ name, input }: Call): Promise<string> {
    const { result } = await this.#request('tools/call', { name, arguments: input })
    refuseAsGemini(result?.content?.[0]?.text ?? '')
    const texts = (result?.content ?? []).map(({ text, mimeType }) => text ?? `<${mimeType}>`)
    return `${result?.isError ? 'error: ' : ''}${texts.join(' ')}`
  }

  close(): void {
    this.#child.stdin.end()
  }

  #request(method: string, params: object): Promise<{ result?: Result }> {
    this.#lastId += 1
    const id = this.#lastId
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }
}

/** It takes the first text for structured content, if it is JSON. */
function refuseAsGemini(text: string): void {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected record')
}
