/**
 * A server that drives runs is killed again and again, and a receiver of its notifications fails now and then. Each event must
 * arrive, signed, and in the order of its run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, dataOf } from '../support/driven-home.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'
import { processesWith, sessionsIn } from './observation.ts'
import type { Figures, Scenario } from './scenario.ts'

const RUNS = 6
const SECRET = 'a secret of the receiver'
const QUESTION = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
/** Of all runs together: about half of them ask. */
const ASKING = { outcome: { status: 'needs_input', pause: QUESTION, suggested_actions: [] } }
const TURNS = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? ASKING : {}))
/** A server starts, asks, delivers and notifies within as many milliseconds, so that each part of it is hit. */
const LONGEST_LIFE_MS = 6000
const STEPS = 16
/** At the end, nothing new for this long is a failure. An event that was refused as often as possible comes within it. */
const QUIET_MS = 120_000
const MOST_REFUSALS = 2

export const NOTIFY_FAULTS: readonly Scenario[] = [
  {
    name: `notifications of ${RUNS} runs, server killed and receiver failing; each arrives, signed, in the order of its run`,
    // test/notify.test.ts kills one.
    times: { gate: 0, full: 30 },
    run: killNotifier,
  },
]

type Server = { readonly child: ChildProcess; readonly call: (path: string, body?: object) => Promise<unknown> }

async function killNotifier(times: number): Promise<Figures> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-notify-')))
  const receiver = new WebhookReceiver(SECRET)
  // Every fourth request is refused, by an answer or by none. Each refusal of an event makes drover wait longer for the next attempt.
  const refused = new Map<string, number>()
  receiver.answer = (response, count) => {
    const { id = '' } = receiver.seen.at(-1) ?? {}
    const refusals = refused.get(id) ?? 0
    if (count % 4 !== 0 || refusals === MOST_REFUSALS) return void response.writeHead(204).end()
    refused.set(id, refusals + 1)
    if (count % 8 === 0) return void response.destroy()
    response.writeHead(500).end()
  }
  const home = createHome(scratch, await receiver.start())
  const since = performance.now()
  const ids: string[] = []
  try {
    for (let kill = 0; kill < times; kill += 1) {
      const server = await startServer(home)
      if (ids.length < RUNS) ids.push(await startRun(server))
      const lifeMs = ((kill % STEPS) / STEPS) * LONGEST_LIFE_MS
      const until = performance.now() + lifeMs
      while (performance.now() < until) await answerAll(server, receiver, ids)
      await end(server.child, 'SIGKILL')
    }
    const server = await startServer(home)
    while (ids.length < RUNS) ids.push(await startRun(server))
    await answerToTheEnd(server, receiver, () => problemsOf(receiver, home, ids).length > 0 && ids)
    const states = await Promise.all(ids.map(async (id) => `${id}: ${(await showRun(server, id)).state}`))
    await end(server.child, 'SIGTERM')
    const seconds = (performance.now() - since) / 1000
    const sessions = sessionsIn(home.home)
    return {
      times,
      seconds,
      sessions,
      processes: processesWith(scratch).length,
      problems: problemsOf(receiver, home, ids).map((problem) => `${problem} (${states.join(', ')})`),
    }
  } finally {
    receiver.stop()
    for (const pid of processesWith(scratch)) process.kill(pid, 'SIGKILL')
    rmSync(scratch, { recursive: true, force: true })
  }
}

function createHome(scratch: string, url: string): DrivenHome {
  const home = createDrivenHome(join(scratch, 'home'), { orient: TURNS })
  const secret_file = join(scratch, 'secret')
  writeFileSync(secret_file, SECRET)
  const targets = [{ name: 'hook', type: 'webhook', url, secret_file }]
  const drive = { repositories: [realpathSync(home.repository.root)], baseline: 'skip', max_runs: RUNS }
  home.configure(JSON.stringify({ warm: { enabled: false }, drive, notify: { targets } }))
  return home
}

async function startServer({ env }: DrivenHome): Promise<Server> {
  const child = spawn(process.execPath, [droverPath(), 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let heard = ''
  child.stdout.on('data', (text) => (heard += text))
  let port: string | undefined
  while (port === undefined) {
    await delay(20)
    port = /listens on http:\/\/.*:(\d+)\n/.exec(heard)?.[1]
  }
  const call = async (path: string, body?: object) => {
    const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return await (await fetch(`http://127.0.0.1:${port}/api/v1/runs${path}`, init)).json()
  }
  return { child, call }
}

async function startRun({ call }: Server): Promise<string> {
  return ((await call('', { goal: 'Show the wind in knots', review: false })) as { id: string }).id
}

/** Until nothing is missing, or nothing has happened for long. A busy machine may need longer, as long as it does something. */
async function answerToTheEnd(
  server: Server,
  receiver: WebhookReceiver,
  missing: () => readonly string[] | false,
): Promise<void> {
  let [last, since] = ['', performance.now()]
  for (let ids = missing(); ids !== false && performance.now() - since < QUIET_MS; ids = missing()) {
    await answerAll(server, receiver, ids)
    const runs = await Promise.all(ids.map((id) => showRun(server, id)))
    const now = JSON.stringify([receiver.seen.length, runs.map(({ last_seq: seq }) => seq)])
    if (now !== last) since = performance.now()
    last = now
  }
}

async function showRun({ call }: Server, id: string): Promise<{ state?: string; last_seq?: number }> {
  return (await call(`/${id}`)) as { state?: string; last_seq?: number }
}

/** Answers what waits, as a person would who was notified. */
async function answerAll(server: Server, receiver: WebhookReceiver, ids: readonly string[]): Promise<void> {
  const { call } = server
  for (const id of ids) {
    const { state } = await showRun(server, id)
    const isTold = toldOf(receiver, id).at(-1) === 'drover.question'
    if (state === 'waiting' && isTold) await call(`/${id}/answer`, { text: 'Knots.' })
    // The server was killed between the answer and the next attempt, or so often that the run waits for a person.
    if (state === 'interrupted' || state === 'paused') await call(`/${id}/resume`, {})
  }
  await delay(200)
}

/** At least once: what the receiver has accepted may come again. */
function toldOf({ accepted }: WebhookReceiver, run: string): string[] {
  const told = accepted.filter(({ data }) => data.run_id === run)
  return [...new Map(told.map(({ id, type }) => [id, type])).values()]
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill(signal)
  await ended
}

function problemsOf(receiver: WebhookReceiver, home: DrivenHome, ids: readonly string[]): string[] {
  const unsigned = receiver.seen.filter(({ isSigned }) => !isSigned).map(({ id }) => `${id} is not signed`)
  const wrong = ids.flatMap((run) => {
    const told = toldOf(receiver, run)
    const before = told.slice(0, -1)
    const isRight =
      told.at(-1) === 'drover.delivered' &&
      before.every((type) => type === 'drover.question') &&
      before.length >= questionsOf(home, run).length
    return isRight ? [] : [`the run ${run} was told of as ${told.join() || 'nothing'}`]
  })
  return [...unsigned, ...wrong]
}

function questionsOf(home: DrivenHome, run: string) {
  const records = home.records(run)
  const submitted = dataOf(records, 'outcome_submitted').map(({ attempt }) => attempt)
  const ended = dataOf(records, 'attempt_ended').filter(({ attempt }) => submitted.includes(attempt))
  return ended.filter(({ outcome = '' }) => outcome.includes('needs_input'))
}
