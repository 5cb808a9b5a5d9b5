/** Faults of agents that stay up, at random moments under load: a prompt gets its own answer or fails, and nothing is left. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { ask } from './client.ts'
import { processesOf, warmAgentsOf } from './observation.ts'
import { type Scenario, serverEnds, serverSurvives } from './scenario.ts'
import type { HomeOptions, ObservedServer, ServerHome } from './server-home.ts'

/** With a short idle time, so that a server without work has no agents soon. */
const WARM = { enabled: true, spare_after: 1, idle_secs: 1, max_processes: 4 }
const OPTIONS: HomeOptions = { warm: WARM, server: { max_concurrent_runs: 8 } }
const BACKENDS = ['claude', 'codex'] as const
const PROMPTS = 4
/** From before an agent begins its turn until after it has ended. */
const LONGEST_TURN_MS = 60
const LONGEST_WAIT_MS = 120
/** Longer than an agent needs on a busy machine. */
const DEADLINE_SECS = 5
const BIG_FRAME_BYTES = 11 * 1024 * 1024

/** Lines that no protocol allows, or that belong to no turn. */
const NOISE: readonly string[] = [
  'not JSON',
  '{"type":"result","subtype":"success","is_error":false,"result":"another answer"}',
  '{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"another","status":"completed"}}}',
  '{"id":77,"result":{"turn":{"id":"another"}}}',
  '{"type":"control_response"}',
  '{"type":"assistant","message":',
  '[1,2]',
  'null',
  '{}',
  '\u0000\ufffd',
]

type Order = Record<string, unknown>

export const WARM_FAULTS: readonly Scenario[] = [
  ...(['SIGKILL', 'SIGSTOP'] as const).map((signal) =>
    serverSurvives({
      name: `warm agent gets ${signal} at a random moment`,
      times: { gate: 0, full: signal === 'SIGKILL' ? 100 : 20 },
      atOnce: 2,
      options: OPTIONS,
      leaves: 'inactive',
      async provoke(server, home) {
        const work = Array.from({ length: PROMPTS }, () => askHonestly(server, {}))
        // The prompts start no agent that stays up if the last one was killed a moment ago.
        let areAnswered = false
        const answered = Promise.all(work).then(() => {
          areAnswered = true
        })
        await until(() => areAnswered || warmAgentsOf(home.path).length > 0)
        await delay(Math.random() * LONGEST_WAIT_MS)
        signalOne(home, signal)
        await answered
      },
    }),
  ),
  serverSurvives({
    name: 'warm agent closes its input, breaks its protocol, or prints a frame of 11 MiB, in every other prompt',
    times: { gate: 3, full: 100 },
    atOnce: 2,
    options: OPTIONS,
    leaves: 'inactive',
    async provoke(server, home, at) {
      await askHonestly(server, {})
      await until(() => warmAgentsOf(home.path).length > 0)
      const orders = Array.from({ length: PROMPTS }, (_, each) => (each % 2 === 0 ? disturbance(at) : {}))
      await Promise.all(orders.map((order) => askHonestly(server, order)))
    },
  }),
  ...[
    { agents: 'warm agents', env: {} },
    { agents: 'warm agents that ignore the end of their input', env: { WARM_STAYS: '1' } },
  ].map(({ agents, env }) =>
    serverEnds({
      name: `SIGKILL at a random moment while ${agents} work; a new server starts`,
      times: { gate: 0, full: 10 },
      options: { ...OPTIONS, env },
      leaves: 'inactive',
      async provoke(home) {
        const server = await home.start()
        const work = Array.from({ length: PROMPTS }, () => askHonestly(server, {}).catch(ignoreLostConnection))
        await until(() => warmAgentsOf(home.path).length > 0)
        await delay(Math.random() * LONGEST_WAIT_MS)
        await server.signal('SIGKILL')
        await Promise.all(work)
        const orphans = processesOf(home.path)
        await home.start()
        await until(() => !processesOf(home.path).some((pid) => orphans.includes(pid)))
      },
    }),
  ),
]

/** One after the other, so that a few times are enough for all. */
function disturbance(at: number): Order {
  const orders = [{ closes: true }, { noise: pickSome(NOISE) }, { big: BIG_FRAME_BYTES }]
  return orders[at % orders.length] ?? {}
}

/** Sends a prompt. Throws if the answer is another than its own, or neither a success nor a failure. */
async function askHonestly(server: ObservedServer, order: Order): Promise<void> {
  const say = randomUUID()
  const slow = Math.round(Math.random() * LONGEST_TURN_MS)
  const backend = BACKENDS[Math.random() < 0.5 ? 0 : 1]
  const prompt = JSON.stringify({ ...order, say, slow })
  const { status, body, text } = await ask(server, { body: { backend, prompt, timeout_secs: DEADLINE_SECS } })
  const isOwnAnswer = body?.exit_code === 0 && body.output === say
  const isFailure = body?.exit_code > 0 && body.error !== undefined
  if (status !== 200 || !(isOwnAnswer || isFailure)) throw new Error(`${prompt} was answered with ${status} ${text}`)
}

function signalOne({ path }: ServerHome, signal: NodeJS.Signals): void {
  const agents = warmAgentsOf(path)
  const pid = agents[Math.floor(Math.random() * agents.length)]
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

/** A client of a killed server gets no answer. */
function ignoreLostConnection(error: unknown): void {
  if (error instanceof Error && error.message.includes('was answered with')) throw error
}

function pickSome(lines: readonly string[]): string[] {
  return lines.filter(() => Math.random() < 0.5)
}
