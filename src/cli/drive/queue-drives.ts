/** `drover drive` with several targets: starts a run for each, and leaves them to the queue of the user's server. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.shape.ts'
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { QueueWait } from '../../drive/decide/queue.ts'
import { recordOfUser } from '../../drive/driven-record-writer.ts'
import { driveNotAfter } from '../../drive/faults.ts'
import type { RunGroup } from '../../drive/group-totals.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toDrivenRun } from '../../drive/service/driven-view.ts'
import type { QueuePlaces } from '../../drive/service/read-queue.ts'
import { readPlan, readQueueOverlaps } from '../../drive/service/read-queue.ts'
import { saveQueued } from '../../drive/service/run-queue.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import {
  type DriveStart,
  type DriveTarget,
  type FoundDrive,
  lastingWorktree,
  readGoal,
  startGoal,
} from '../../drive/start/start-drive.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import { USER } from '../../prompts/caller.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { LocalDrive } from '../../service/local-protocol.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { requireServer } from '../local/background-server.ts'
import { callServer } from '../local/server-client.ts'
import { overlapLines } from '../output/drive-text.ts'
import { timesFor } from '../output/format-amounts.ts'
import { toPrintable } from '../output/printable.ts'
import { formatLines } from '../output/text-table.ts'
import { describeQueued } from '../output/work-text.ts'
import { findUserPaths } from '../settings.ts'
import { queueNotServed } from './faults.ts'
import { isServerLost } from './hand-over.ts'
import { openQueue } from './show-queue.ts'

type Queueing = {
  readonly context: RunContext
  readonly config: Config
  readonly targets: readonly Exclude<DriveTarget, { is: 'run' }>[]
  readonly given: GivenOptions
  readonly totals: Omit<RunGroup, 'id'>
  readonly isDemo: boolean
  readonly notify: string | undefined
  readonly start: Omit<DriveStart, 'target'>
  /** Asks about the settings of the project, before an agent could use them. */
  readonly onStarted: (found: FoundDrive) => Promise<void>
}

export async function queueDrives(invocation: Invocation, queueing: Queueing): Promise<number> {
  const { flags, runtime } = invocation
  const { context, config, targets, start, totals } = queueing
  if (flags.isOn('in-place')) {
    const instead = 'a queued run has its own worktree'
    throw flagsConflict({ flags: ['--in-place', 'the queue'], instead })
  }
  const after = readAfter(flags.text('after'), context)
  // Everything that can be refused is refused before anything is created.
  start.newOptions()
  await requireServer(invocation, config)
  const goals = []
  for (const target of targets) goals.push(await readGoal(context, target, start))
  const isGroup = targets.length > 1 || Object.keys(totals).length > 0
  const group = isGroup ? { id: randomIds.uuid(), ...totals } : undefined
  const isFirst = flags.isOn('first')
  const ids: string[] = []
  // Each of them passes those before it.
  for (const goal of isFirst ? goals.toReversed() : goals) {
    const found = await startGoal(context, { ...start, isQueued: true, after }, goal)
    await queueing.onStarted(found)
    await queueRun(invocation, { queueing, found, group, isFirst })
    ids.push(found.runId)
  }
  if (!flags.isOn('detach')) return await followQueue(invocation, { ids, config, context })
  const next = '"drover drive --queue" shows the queue, "drover stop RUN" removes a run from it'
  const { out } = runtime.terminal
  const lines = formatLines(describeQueued(start.newOptions(), { isReviewed: !flags.isOn('no-review'), totals }), out)
  if (!flags.isOn('json')) await out.write(`${[...lines, '', `${next}.`].join('\n')}\n`)
  return 0
}

type NewEntry = { queueing: Queueing; found: FoundDrive; group: RunGroup | undefined; isFirst: boolean }

/** The record makes it part of the queue. The server knows the command before, so that it drives in its environment. */
async function queueRun(invocation: Invocation, { queueing, found, group, isFirst }: NewEntry): Promise<void> {
  const { runtime, flags } = invocation
  const { given, isDemo, notify, config } = queueing
  const { runId } = found
  const repository = lastingWorktree(found)
  const { isNew: _, ...begin } = found.begin
  const env = Object.entries(runtime.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const noted = notify === undefined ? {} : { notify }
  const place = { env: Object.fromEntries(env), cwd: runtime.cwd }
  const body: LocalDrive = { run_id: runId, repository, begin, given, is_demo: isDemo, ...noted, ...place }
  await tellServer(invocation, config, body)
  const { drivenRuns: directory } = findUserPaths(invocation)
  const record = recordOfUser(directory, { runId, repository, context: found.context, env: runtime.env })
  await saveQueued(directory, { record: { ...record, ...noted, ...(group !== undefined && { group }) }, isFirst })
  await tellServer(invocation, config, body)
  const branch = found.begin.place.kind === 'worktree' ? found.begin.place.branch : undefined
  const line = flags.isOn('json')
    ? JSON.stringify({ type: 'queued', run_id: runId, branch })
    : `Queued: Run ${runId}: ${toPrintable(titleOfGoal(found.begin.goal))}`
  await runtime.terminal.out.write(`${line}\n`)
}

/** How often it is tried before the command gives up. */
const ATTEMPTS = 3

/** A server that is killed meanwhile is started again. */
async function tellServer(invocation: Invocation, config: Config, body: LocalDrive): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await requireServer(invocation, config)
      await callServer(invocation, { method: 'POST', path: '/local/queue', body })
      return
    } catch (error) {
      if (!(error instanceof Fault) || !isServerLost(error)) throw error
      if (attempt === ATTEMPTS) throw queueNotServed({ problem: error.message }, error)
    }
  }
}

function readAfter(text: string | undefined, context: RunContext): string | undefined {
  if (text === undefined) return undefined
  const runId = resolveRunId(context, text)
  const place = readDrive(context.store, runId)?.place
  if (place?.kind !== 'worktree') throw driveNotAfter({ run_id: runId, problem: 'it has no branch' })
  return runId
}

const LOOK_MS = 500
const SHORT_ID = 8
/** The exit codes of verdicts, the worst first. */
const WORST = [3, 4, 5, 0]

type Followed = { ids: readonly string[]; config: Config; context: RunContext }

/** Returns the exit code of the worst verdict. */
async function followQueue(invocation: Invocation, { ids, config, context }: Followed): Promise<number> {
  const { signal } = context
  const places = openQueue(invocation, config)
  const shown = new Set<string>()
  while (!signal.aborted) {
    // A server that was killed is started again, and continues.
    await requireServer(invocation, config)
    const runs = (await Promise.all(ids.map((id) => latestRound(places, id)))).filter((each) => each !== undefined)
    await printNews(invocation, { runs, places, shown })
    if (await isOver(places, runs)) return await reportEnds(invocation, runs)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
  const left = 'the runs continue in the background; "drover drive --queue" shows them, "drover stop RUN" stops one'
  await invocation.runtime.terminal.err.write(`drover: ${left}\n`)
  return exitCodeOfSignal('SIGINT')
}

async function latestRound(places: QueuePlaces, id: string): Promise<DrivenRun | undefined> {
  const record = places.reader.findHere(id)
  const facts = record && (await places.reader.tryRead(record))
  if (facts === undefined) return undefined
  const { next_run_id: next } = facts.drive
  // It is announced before it is started.
  return (next === undefined ? undefined : await latestRound(places, next)) ?? toDrivenRun(facts)
}

const RUNNING: readonly DrivenRun['state'][] = ['running', 'waiting_for_limit', 'interrupted', 'continued']

const WAITS_BY_ITSELF: readonly QueueWait[] = ['turn', 'limit']

/** Also if the queued ones wait for something that does not happen by itself. */
async function isOver(places: QueuePlaces, runs: readonly DrivenRun[]): Promise<boolean> {
  if (runs.some(({ state }) => RUNNING.includes(state))) return false
  const plan = await readPlan(places)
  const isServed = places.reader.list(USER).some(({ is_server_driven: isDriven }) => isDriven)
  return runs
    .filter(({ state }) => state === 'queued')
    .every(({ id }) => {
      // A run that is not in the plan was taken since.
      const waitsFor = plan.find((each) => each.id === id)?.waitsFor ?? 'turn'
      return waitsFor === 'run' ? !isServed : !WAITS_BY_ITSELF.includes(waitsFor)
    })
}

type News = { runs: readonly DrivenRun[]; places: QueuePlaces; shown: Set<string> }

/** One line for each change. */
async function printNews(invocation: Invocation, { runs, places, shown }: News): Promise<void> {
  const { out } = invocation.runtime.terminal
  const isJson = invocation.flags.isOn('json')
  const nameOf = (id: string) => id.slice(0, SHORT_ID)
  const times = timesFor(out, () => invocation.runtime.clock.now())
  const print = async (key: string, line: string) => {
    if (shown.has(key)) return
    shown.add(key)
    await out.write(`${line}\n`)
  }
  for (const { id, title, state, verdict } of runs) {
    const text = `${nameOf(id)} ${toPrintable(title)}: ${toPrintable(times(verdict.line))}`
    const json = JSON.stringify({ type: 'run', run_id: id, state, verdict })
    await print(`${id} ${state} ${verdict.line}`, isJson ? json : text)
  }
  if (isJson) return
  const ids = runs.map(({ id }) => id)
  for (const { id, overlap } of await readQueueOverlaps(places, USER, ids)) {
    const { run_id, files } = overlap
    const [line = ''] = overlapLines({ overlaps: [{ run_id, files: [...files] }] }, nameOf)
    await print(`both ${[id, run_id].sort().join(' ')}`, `${nameOf(id)} ${line}`)
  }
}

async function reportEnds(invocation: Invocation, runs: readonly DrivenRun[]): Promise<number> {
  // A run that still waits in the queue waits for the person.
  const codes = runs.map(({ verdict, state }) => verdict.exit_code ?? (state === 'queued' ? 4 : 3))
  const exitCode = WORST.find((code) => codes.includes(code)) ?? 3
  if (invocation.flags.isOn('json')) {
    const ends = runs.map(({ id, verdict }) => ({ run_id: id, verdict }))
    const line = JSON.stringify({ type: 'result', runs: ends, exit_code: exitCode })
    await invocation.runtime.terminal.out.write(`${line}\n`)
  }
  return exitCode
}
