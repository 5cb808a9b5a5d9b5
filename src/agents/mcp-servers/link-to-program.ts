/** Connects an agent with an MCP server that is a program. Each connection has its own process. */
import type { Socket } from 'node:net'
import { Fault } from '../../kit/fault.ts'
import type { ChildEnvironment, Environment } from '../../kit/process/child-environment.ts'
import { OWNER_VARIABLE } from '../../kit/process/environment-variables.ts'
import { type RunningProcess, startProcess } from '../../kit/process/process.ts'
import { raceTime } from '../../kit/race.ts'
import { readLines } from '../../kit/read-lines.ts'
import { userHome } from '../adapter/surroundings.ts'
import { writeTo } from '../client-tools/agent-socket.ts'
import { LINES_OF_AGENT, toServerMessage } from './limit-agent.ts'

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

export async function linkToProgram(socket: Socket, program: Program): Promise<void> {
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
