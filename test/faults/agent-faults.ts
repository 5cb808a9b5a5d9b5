/** Faults of agents: they are killed, hang, flood, stop in the middle of a line, fail. */
import { randomUUID } from 'node:crypto'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { Script } from '../fake-agent/script.ts'
import { until } from '../support/until.ts'
import { ask, connectTo, openStream, promptOf, rawPrompt } from './client.ts'
import { agentsOf, processesOf } from './observation.ts'
import { expectFields, type Scenario, serverSurvives } from './scenario.ts'
import type { ObservedServer } from './server-home.ts'

const FLOOD_LINES = 50_000
/** Far more lines than fit into the buffers between an agent and a client that reads nothing. */
const ENDLESS_LINES = 5_000_000
/** It ignores signals, and so does the tool it waits for. Its daemon keeps its stdout open. */
const STUBBORN: Script = {
  ignoreSigterm: true,
  ignoreSigint: true,
  tool: "trap '' TERM INT; sleep 300",
  forkDaemon: true,
}

export const AGENT_FAULTS: readonly Scenario[] = [
  serverSurvives({
    name: 'agent killed in mid-stream, its tool left running',
    times: { gate: 0, full: 100 },
    options: { script: { text: ['a'], tool: 'sleep 300' } },
    leaves: { error: 1 },
    async provoke(server, { path }) {
      const stream = await openStream(server, promptOf('claude'))
      // The agent, and the shell that runs the command.
      await until(() => processesOf(path).length >= 2)
      for (const pid of agentsOf(path)) process.kill(pid, 'SIGKILL')
      expectError(await stream.rest(), { code: 'agent_ended_early', exitCode: 137 })
    },
  }),
  serverSurvives({
    name: 'agent hangs until the deadline',
    times: { gate: 0, full: 100 },
    atOnce: 8,
    options: { script: { hangAfter: 'init' } },
    leaves: { paused: 1 },
    provoke: expectTimeout,
  }),
  serverSurvives({
    name: 'agent and its tool hang and ignore signals, with a daemon',
    times: { gate: 1, full: 40 },
    atOnce: 8,
    options: { script: STUBBORN },
    leaves: { paused: 1 },
    provoke: expectTimeout,
  }),
  serverSurvives({
    name: `agent floods: ${FLOOD_LINES} lines at once`,
    times: { gate: 0, full: 20 },
    options: { script: { lines: FLOOD_LINES } },
    leaves: { completed: 1 },
    async provoke(server) {
      const events = await (await openStream(server, promptOf('claude'))).rest()
      expectDone(events, 0)
      if (events.length < FLOOD_LINES) throw new Error(`only ${events.length} events have arrived`)
    },
  }),
  serverSurvives({
    name: 'agent floods a client that reads nothing',
    times: { gate: 0, full: 20 },
    atOnce: 4,
    options: { script: { lines: ENDLESS_LINES }, server: { write_timeout_secs: 1 } },
    leaves: { paused: 1 },
    async provoke(server) {
      const socket = await connectTo(server)
      const requestId = randomUUID()
      socket.pause()
      socket.write(rawPrompt({ 'x-request-id': requestId }))
      // The client reads nothing, so only the server's log shows that the connection was closed.
      await server.hasLogged(requestId)
      socket.destroy()
    },
  }),
  serverSurvives({
    name: 'agent stops in the middle of a line',
    times: { gate: 0, full: 200 },
    atOnce: 4,
    options: { script: { text: ['a', 'b'], halfLine: true } },
    leaves: { error: 1 },
    async provoke(server) {
      const events = await (await openStream(server, promptOf('claude'))).rest()
      expectError(events, { code: 'agent_ended_early', exitCode: 1 })
    },
  }),
  serverSurvives({
    name: 'agents fail in a row',
    times: { gate: 0, full: 500 },
    atOnce: 4,
    options: { script: { fail: 500 } },
    leaves: { error: 1 },
    async provoke(server) {
      const { status, body } = await ask(server, { body: promptOf('claude', 'json') })
      expectFields({ status, ...body }, { status: 200, exit_code: 1, error_code: 'agent_service_failed' })
    },
  }),
]

/** Only this request has a short deadline. Even on a busy machine the agent prints its session id before it. */
async function expectTimeout(server: ObservedServer): Promise<void> {
  const { status, body } = await ask(server, { body: { ...promptOf('claude', 'json'), timeout_secs: 5 } })
  expectFields({ status, ...body }, { status: 200, exit_code: 124 })
}

function expectError(events: readonly PromptEvent[], expected: { code: string; exitCode: number }): void {
  const [error] = events.slice(-2)
  expectFields({ ...error, ...error?.content }, { type: 'error', code: expected.code })
  expectDone(events, expected.exitCode)
}

export function expectDone(events: readonly PromptEvent[], exitCode: number): void {
  const done = events.at(-1)
  expectFields({ ...done, ...done?.content }, { type: 'done', exit_code: exitCode })
}
