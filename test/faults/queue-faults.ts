/**
 * A queue of 20 runs, three at once, whose server is killed again and again, while an agent reaches a limit and the one that
 * takes over dies. Every run must end, and every prompt that an agent received is an attempt that is shown.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NightReport } from '../../src/drive/night/night-report.shape.ts'
import type { DriveEvent } from '../../src/drive/record/drive-event.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, type DrivenTurn, dataOf, HONEST } from '../support/driven-home.ts'
import { accountingProblems, recordProblems } from './driven-run-checks.ts'
import { processesWith, sessionsIn } from './observation.ts'
import type { Figures, Scenario } from './scenario.ts'

const RUNS = 20
const AT_ONCE = 3
const LIMIT_MS = 10 * 60_000
/** About as many records as a run has. */
const RECORDS_OF_RUN = 20
/** What the scripted agents report for each turn. */
const TOKENS_OF_TURN = 150

const limited: DrivenTurn = { limit: { claude: 'API Error: Request rejected (429) · try again in 9h' } }
/** At the fifth turn an agent reaches its limit, at the ninth again, and the one that takes over dies. */
const TURNS = [HONEST, HONEST, HONEST, HONEST, limited, HONEST, HONEST, HONEST, limited, { dies: true }, HONEST]

export const QUEUE_FAULTS: readonly Scenario[] = [
  {
    name: `server with a queue of ${RUNS} runs killed again and again; all of them end`,
    // test/drive/queue.test.ts kills one.
    times: { gate: 0, full: 20 },
    run: killServers,
  },
]

async function killServers(times: number): Promise<Figures> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-queue-')))
  const home = createDrivenHome(scratch, { implement: TURNS })
  home.configure(JSON.stringify({ drive: { parallel: AT_ONCE }, warm: { enabled: false } }))
  const since = performance.now()
  try {
    let server = start(home, ['serve', '--local', '--quiet'])
    const goals = Array.from({ length: RUNS }, (_, at) => `Show reading ${at + 1}`)
    const flags = ['--no-review', '--check', 'sh check.sh', '--on-limit', 'next', '--fallback', 'codex', '--detach']
    const said = await start(home, ['drive', ...goals, ...flags]).said
    const ids = [...said.matchAll(/Run ([0-9a-f-]{36})/g)].map(([, id = '']) => id)
    const recorded = () => ids.reduce((sum, id) => sum + home.records(id).length, 0)
    const left = RUNS * RECORDS_OF_RUN - recorded()
    for (let kill = 0; kill < times; kill += 1) {
      const enough = recorded() + Math.max(1, Math.floor(left / times))
      await waitUntil(() => recorded() >= enough || ids.every((id) => isPaused(home, id) || areDelivered(home, [id])))
      server.child.kill('SIGKILL')
      await server.said
      server = start(home, ['serve', '--local', '--quiet'])
    }
    await waitUntil(() => ids.every((id) => isPaused(home, id) || areDelivered(home, [id])))
    // A run whose driver was killed three times in a row waits for a person.
    for (const id of ids.filter((each) => isPaused(home, each))) await start(home, ['drive', id]).said
    await start(home, ['down']).said
    server.child.kill('SIGTERM')
    await server.said
    const seconds = (performance.now() - since) / 1000
    const report = await start(home, ['report', '--since', '1d', '--json']).said
    const problems = [
      ...(ids.length === RUNS ? [] : [`it queued ${ids.length} runs: ${said}`]),
      ...problemsOf(home, ids),
      ...reportProblems(home, ids, JSON.parse(report)),
    ]
    return { times, seconds, sessions: sessionsIn(home.home), processes: processesWith(home.home).length, problems }
  } finally {
    for (const pid of processesWith(home.home)) process.kill(pid, 'SIGKILL')
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

type Started = { child: ChildProcess; said: Promise<string> }

function start({ repository, env }: DrivenHome, args: readonly string[]): Started {
  const child = spawn(process.execPath, [droverPath(), ...args], {
    cwd: repository.root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
  return { child, said: new Promise((resolve) => child.on('close', () => resolve(text))) }
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!isTrue() && performance.now() < deadline) await delay(50)
}

function areDelivered(home: DrivenHome, ids: readonly string[]): boolean {
  return ids.every((id) => dataOf(home.records(id), 'delivered').length > 0)
}

function isPaused(home: DrivenHome, id: string): boolean {
  const last = home.records(id).at(-1)
  return last?.type === 'paused' && last.data.reason === 'killed'
}

function problemsOf(home: DrivenHome, ids: readonly string[]): string[] {
  const calls = home.calls().map((call) => ({ ...call, sha256: digest(Buffer.from(call.prompt)) }))
  let shown = 0
  const problems = ids.flatMap((id) => {
    const records = home.records(id)
    const digests = new Set(dataOf(records, 'attempt_started').map(({ prompt_sha256: sha256 }) => sha256))
    const own = calls.filter(({ sha256 }) => digests.has(sha256))
    shown += own.length
    const found = [...recordProblems(records), ...accountingProblems(records, own), ...endProblems(records)]
    return found.map((problem) => `run ${id}: ${problem}`)
  })
  return shown === calls.length ? problems : [...problems, `${calls.length} prompts were paid, ${shown} are shown`]
}

/** One report has every run once, and counts what the agents have counted. */
function reportProblems(home: DrivenHome, ids: readonly string[], { runs, spent }: NightReport): string[] {
  const ends = ids.flatMap((id) => dataOf(home.records(id), 'attempt_ended'))
  const tokens = ends.reduce((sum, { usage }) => sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0), 0)
  const words = runs.map(({ verdict }) => verdict.word)
  return [
    ...(String(runs.map((run) => run.run_id).sort()) === String([...ids].sort())
      ? []
      : [`it reports ${runs.length} runs`]),
    ...(words.every((word) => word.startsWith('delivered')) ? [] : [`it reports ${words.join(', ')}`]),
    ...(spent.tokens === tokens ? [] : [`it reports ${spent.tokens} of ${tokens} tokens`]),
  ]
}

function endProblems(records: readonly DriveEvent[]): string[] {
  const [delivered] = dataOf(records, 'delivered')
  const answered = dataOf(records, 'attempt_ended').filter(({ how }) => how === 'answered')
  const tokens = answered.reduce((sum, { usage }) => sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0), 0)
  // An agent that counts its whole session names what a turn used whose end is unknown, later.
  const unknown = dataOf(records, 'attempt_ended').filter(({ how }) => how === 'unknown')
  const [least = 0, most = 0] = [answered.length, answered.length + unknown.length].map(
    (count) => count * TOKENS_OF_TURN,
  )
  return [
    ...(delivered?.as === 'branch' ? [] : [`it is delivered as ${delivered?.as}: ${JSON.stringify(records.at(-1))}`]),
    ...(tokens >= least && tokens <= most ? [] : [`${answered.length} answers used ${tokens} tokens`]),
  ]
}
