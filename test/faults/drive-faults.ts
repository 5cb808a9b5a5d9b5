/**
 * Driven runs whose driver, agents, or both are killed: at each record, and every 50 ms from the first record to the last.
 * Each run must continue and end as if nothing had happened, and every prompt that an agent received is an attempt that is shown.
 */

import type { DrivenScript } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import type { KillPoint } from '../support/kill-point.ts'
import { DrivenRun, LIMITED, UNSAVED } from './driven-run.ts'
import { sessionsIn } from './observation.ts'
import { type Figures, repeat, type Scenario, sum } from './scenario.ts'

type Victim = KillPoint['victim']
type Moment = Pick<KillPoint, 'file' | 'record' | 'afterMs'>

const STEP_MS = 50
/** A run uses about one core. */
const AT_ONCE = 2
/** Of a driver that is killed again and again. */
const EVERY_RECORDS = 7
const NAMES: Readonly<Record<Victim, string>> = { driver: 'driver', agent: 'agents', both: 'driver and its agents' }

export const DRIVE_FAULTS: readonly Scenario[] = [
  ...(['driver', 'both'] as const).map((victim) =>
    killTable({
      name: `${NAMES[victim]} of a run killed after each record; the run continues`,
      gate: victim === 'driver' ? 1 : 0,
      victim,
      momentsOf: eachRecord,
    }),
  ),
  ...(['driver', 'agent', 'both'] as const).map((victim) =>
    killTable({
      name: `${NAMES[victim]} of a run killed every ${STEP_MS} ms; the run continues`,
      gate: 0,
      victim,
      momentsOf: everyFewMs,
    }),
  ),
  ...[
    { when: 'after each record', gate: 0, momentsOf: eachRecord },
    { when: `every ${STEP_MS} ms`, gate: 0, momentsOf: everyFewMs },
  ].map(({ when, ...table }) =>
    killTable({
      name: `server that drives a run killed ${when}; the next server continues`,
      ...table,
      victim: 'driver',
      isServed: true,
    }),
  ),
  killTable({
    name: `agents that have not saved their session killed every ${STEP_MS} ms; the run continues in a new one`,
    gate: 0,
    victim: 'agent',
    momentsOf: everyFewMs,
    script: UNSAVED,
  }),
  ...[
    { name: 'waits for a limit', settings: {}, gate: IS_FULL ? 1 : 0 },
    { name: 'hands over at a limit', settings: { on_limit: 'next', fallback: ['codex'] }, gate: 0 },
  ].map(({ name, settings, gate }) =>
    killTable({
      name: `driver of a run that ${name} killed after each record; the run continues`,
      ...{ gate, settings, victim: 'driver', momentsOf: eachRecord, script: LIMITED },
    }),
  ),
  {
    name: 'server killed while it takes over a detached run; another one continues',
    times: { gate: 0, full: 20 },
    run: async (times) =>
      await countRuns(
        Array.from(
          { length: times },
          (_, at) => (driven: DrivenRun) => killAtHandOver(driven, at % 2 === 0 ? 'asked' : 'listed'),
        ),
      ),
  },
  {
    name: `driver of a run killed at every ${EVERY_RECORDS}th record, again and again`,
    times: { gate: 0, full: 5 },
    run: async (times) => await countRuns(Array.from({ length: times }, () => killAgainAndAgain)),
  },
]

/** What a run without a kill shows: how many records there are, and how long they take. */
type Undisturbed = { journalRecords: number; driveRecords: number; durationMs: number }

type Table = {
  name: string
  gate: number
  victim: Victim
  momentsOf: (run: Undisturbed) => Moment[]
  /** A server drives, not the command. */
  isServed?: boolean
  script?: DrivenScript
  /** Of driven runs. */
  settings?: object
}

/** One run for each moment. */
function killTable({ name, gate, victim, momentsOf, isServed = false, script, settings }: Table): Scenario {
  const run = async (times: number): Promise<Figures> => {
    if (times === 0) return await countRuns([])
    const create = () => new DrivenRun(script, { settings: { drive: settings ?? {} } })
    const moments = spread(momentsOf(await observe(script, create)), times)
    const kill = isServed ? killServer : killOnce
    const runs = moments.map((moment) => (driven: DrivenRun) => kill(driven, { victim, ...moment }))
    return await countRuns(runs, create)
  }
  return { name, times: { gate, full: Number.MAX_SAFE_INTEGER }, run }
}

/** Once for all tables with the same script. */
const observed = new Map<DrivenScript | undefined, Promise<Undisturbed>>()

function observe(script: DrivenScript | undefined, create: () => DrivenRun): Promise<Undisturbed> {
  const known = observed.get(script) ?? driveUndisturbed(create)
  observed.set(script, known)
  return known
}

async function driveUndisturbed(create: () => DrivenRun): Promise<Undisturbed> {
  using run = create()
  const problems = await run.problems(await run.drive(), '')
  if (problems.length > 0) throw new Error(`without a kill: ${problems.join('; ')}`)
  const times = run.home.records(run.runId).map(({ at }) => Date.parse(at))
  const durationMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return { journalRecords: run.journalLength, driveRecords: times.length, durationMs }
}

/** What is wrong; undefined if the moment did not come. */
type Attempted = (driven: DrivenRun) => Promise<string[] | undefined>

async function countRuns(all: readonly Attempted[], create = () => new DrivenRun()): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  await repeat({ often: all.length, atOnce: AT_ONCE }, async (at) => {
    using driven = create()
    const problems = await all[at]?.(driven)
    if (problems === undefined) return
    figures.times += 1
    figures.processes += driven.processes
    figures.sessions = sum(figures.sessions, sessionsIn(driven.home.home))
    figures.problems.push(...problems)
  })
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

type Kill = Omit<KillPoint, 'reportTo'>

async function killOnce(driven: DrivenRun, kill: Kill): Promise<string[] | undefined> {
  const first = await driven.drive(kill)
  if (!first.isKilled) return undefined
  const before = driven.recorded
  const last = kill.victim === 'agent' ? first : await driven.drive()
  return describeAt(kill, await driven.problems(last, before))
}

async function killServer(driven: DrivenRun, kill: Kill): Promise<string[] | undefined> {
  const first = await driven.serve(kill)
  if (!first.isKilled) return undefined
  const before = driven.recorded
  // A server that is killed while it creates a run has not answered its client, and does not know the run.
  const isUnknown = kill.record === 1 && kill.afterMs === undefined
  return describeAt(kill, await driven.problems(isUnknown ? await driven.drive() : await driven.serve(), before))
}

async function killAtHandOver(driven: DrivenRun, moment: 'asked' | 'listed'): Promise<string[] | undefined> {
  const last = await driven.handOver(moment)
  return last && (await driven.problems(last, '')).map((problem) => `${moment}: ${problem}`)
}

function describeAt({ file, record, afterMs = 0 }: Kill, problems: readonly string[]): string[] {
  return problems.map((problem) => `record ${record} of ${file} and ${afterMs} ms: ${problem}`)
}

async function killAgainAndAgain(driven: DrivenRun): Promise<string[]> {
  for (let record = EVERY_RECORDS; ; record += EVERY_RECORDS) {
    const ended = await driven.drive({ victim: 'driver', file: 'drive.jsonl', record })
    if (!ended.isKilled) return await driven.problems(ended, '')
  }
}

function eachRecord({ journalRecords, driveRecords }: Undisturbed): Moment[] {
  const upTo = (file: Moment['file'], count: number) =>
    Array.from({ length: count }, (_, at): Moment => ({ file, record: at + 1 }))
  return [...upTo('journal.jsonl', journalRecords), ...upTo('drive.jsonl', driveRecords)]
}

function everyFewMs({ durationMs }: Undisturbed): Moment[] {
  const steps = Math.ceil(durationMs / STEP_MS)
  return Array.from({ length: steps }, (_, at) => ({ file: 'drive.jsonl', record: 1, afterMs: (at + 1) * STEP_MS }))
}

/** At most `count` of them, from the beginning to the end. */
function spread(moments: readonly Moment[], count: number): Moment[] {
  if (moments.length <= count) return [...moments]
  return Array.from({ length: count }, (_, at) => moments[Math.floor(((at + 0.5) * moments.length) / count)]).filter(
    (moment) => moment !== undefined,
  )
}
