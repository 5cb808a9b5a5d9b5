/**
 * Runs a turn of an agent that gets MCP servers of the settings. Drover runs the servers and holds their secrets; the agent reaches
 * each through a socket, inside of a sandbox too.
 */
import type { Socket } from 'node:net'
import { Fault } from '../../kit/fault.ts'
import { resolveReferences } from '../../kit/files/secret-reference.ts'
import { type ChildEnvironment, type Environment, toChildEnvironment } from '../../kit/process/child-environment.ts'
import { OWNER_VARIABLE } from '../../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../../kit/process/process.ts'
import { raceTime } from '../../kit/race.ts'
import { readLines } from '../../kit/read-lines.ts'
import type { AgentRequest, McpServer } from '../adapter/agent.ts'
import { userHome } from '../adapter/surroundings.ts'
import type { AgentRun } from '../agent-result.ts'
import { type AgentSocket, openAgentSocket, writeTo } from '../client-tools/agent-socket.ts'
import { removeScratch } from '../scratch-files.ts'
import { LINES_OF_AGENT, toServerMessage } from './limit-agent.ts'
import { linkToAddress } from './link-to-address.ts'

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

/** How long it may take to exit when its input is closed. */
const EXIT_WAIT_MS = 500

type Program = {
  argv: [string, ...string[]]
  env: ChildEnvironment
  /** The caller's environment. */
  given: Environment
  owner: string | undefined
  signal: AbortSignal
  onProblem(problem: string): void
}

/** Connects an agent with an MCP server that is a program. Each connection has its own process. */
async function linkToProgram(socket: Socket, program: Program): Promise<void> {
  const { argv, env, given, owner, signal, onProblem } = program
  const stop = new AbortController()
  const running = await startProcess({
    argv,
    // Not where the agent works: there a repository, or the agent, could name what the program loads.
    cwd: userHome(given),
    env: owner === undefined ? env : { ...env, [OWNER_VARIABLE]: owner },
    keepsStdinOpen: true,
    timeoutMs: null,
    signal: AbortSignal.any([signal, stop.signal]),
    sweep: 'always',
  }).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error
    onProblem(`does not start: ${error.message}`)
  })
  if (running === undefined) return void socket.destroy()
  const ofAgent = passInput(socket, running)
  const ofServer = passOutput(running, socket)
  const hasLeft = await Promise.race([ofAgent.then(() => true), running.exit.then(() => false)])
  if (hasLeft) await raceTime(running.exit, EXIT_WAIT_MS)
  stop.abort()
  const { code } = await running.exit
  await ofServer
  socket.destroy()
  if (!hasLeft && !signal.aborted) onProblem(`has ended with exit code ${code}; run its command to see why`)
}

/** Until the agent closes the connection. */
async function passInput(socket: Socket, { stdin }: RunningProcess): Promise<void> {
  try {
    for await (const lines of readLines(socket, LINES_OF_AGENT)) {
      for (const message of lines.map(toServerMessage))
        if (message !== undefined) await stdin?.write(`${JSON.stringify(message)}\n`)
    }
  } catch {
    // The agent has ended.
  }
  stdin?.end()
}

async function passOutput({ stdout }: RunningProcess, socket: Socket): Promise<void> {
  for await (const chunk of stdout) await writeTo(socket, chunk as Buffer)
}
