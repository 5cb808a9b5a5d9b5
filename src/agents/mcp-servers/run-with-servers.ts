/**
 * Runs a turn of an agent that gets MCP servers of the settings. Drover runs the servers and holds their secrets; the agent reaches
 * each through a socket, inside of a sandbox too.
 */
import type { Socket } from 'node:net'
import { resolveReferences } from '../../kit/files/secret-reference.ts'
import { type Environment, toChildEnvironment } from '../../kit/process/child-environment.ts'
import type { AgentRequest, McpServer } from '../adapter/agent.ts'
import type { AgentRun } from '../agent-result.ts'
import { type AgentSocket, openAgentSocket } from '../client-tools/agent-socket.ts'
import { removeScratch } from '../scratch-files.ts'
import { linkToAddress } from './link-to-address.ts'
import { linkToProgram } from './link-to-program.ts'

type Options = {
  /** Marks the processes of the servers, as those of the agent. */
  owner: string | undefined
  run(): AgentRun
}

/** Throws a Fault if a secret of a server is missing; then no agent is started. */
export async function* runWithServers(request: AgentRequest, { owner, run }: Options): AgentRun {
  const stop = new AbortController()
  const problems = new Map<string, string>()
  const sockets: AgentSocket[] = []
  let events: AgentRun | undefined
  try {
    for (const server of request.mcpServers ?? []) {
      const { name } = server
      // The first one: an agent can make any number of them.
      const onProblem = (problem: string) => problems.get(name) ?? problems.set(name, problem)
      const link = toLink(server, { request, owner, signal: stop.signal, onProblem })
      sockets.push(await openAgentSocket(request, name, link))
    }
    events = run()
    const result = yield* events
    const warnings = [...problems].map(([name, problem]) => `the MCP server ${name} ${problem}`)
    return { ...result, warnings: [...result.warnings, ...warnings] }
  } finally {
    await events?.return(undefined as never)
    stop.abort()
    await Promise.all(sockets.map((socket) => socket.close()))
    await removeScratch(request.scratchDirectory)
  }
}

type LinkOptions = {
  request: AgentRequest
  owner: string | undefined
  signal: AbortSignal
  /** Gets the rest of a sentence about the server, without anything that is secret. */
  onProblem(problem: string): void
}

/** What connects a socket with the server. It never rejects. */
function toLink(server: McpServer, { request, owner, ...rest }: LinkOptions): (socket: Socket) => Promise<void> {
  const { name, command, args = [], url = '' } = server
  const { env } = request
  if (command === undefined) {
    const headers = resolveAll(server.headers, { env, name })
    return (socket) => linkToAddress(socket, { name, url, headers, ...rest })
  }
  const own = resolveAll(server.env, { env, name })
  const all = { ...toChildEnvironment(env), ...own }
  return (socket) => linkToProgram(socket, { argv: [command, ...args], env: all, given: env, owner, ...rest })
}

function resolveAll(values: McpServer['env'] = {}, { env, name }: { env: Environment; name: string }) {
  const place = `the MCP server ${name}`
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, resolveReferences(value, env, place)]))
}
