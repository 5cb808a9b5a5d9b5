/**
 * Runs of real agents whose driver, server or agent is killed, one to three times each, at moments that are spread over the run.
 * Each must end with its work delivered. The model counts: every prompt that reached it is one attempt that is shown.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DrivenScript } from '../support/driven-home.ts'
import type { KillPoint } from '../support/kill-point.ts'
import { type DriveEnded, DrivenRun } from './driven-run.ts'
import { sessionsIn } from './observation.ts'
import { programOf, REAL_BACKENDS, type RealBackend, realAgents, startUpstream } from './real-agents.ts'
import { type Figures, type Scenario, sum } from './scenario.ts'

const SCRIPT: DrivenScript = {
  orient: [{ runs: ['ls'] }],
  implement: [{ edits: { 'wind.txt': 'wind: 23 knots\n' }, runsAfter: ['sh check.sh'] }],
}
/** Longer than the turns of a real agent take on an idle machine. */
const TURNS_MS = 7000
/** Of one run: a driver that is killed more often in one action pauses it. */
const KILLS_PER_RUN = 3
/** Spreads the moments evenly, whatever their number is. */
const GOLDEN = 0.618_034
/** The first records of a run, up to the start of the first attempt: the agent has not saved its session. */
const FIRST_ATTEMPT = 4
const UNSAVED_STEP_MS = 250

type Victim = KillPoint['victim']

export const REAL_DRIVE_FAULTS: readonly Scenario[] = REAL_BACKENDS.flatMap((backend) => [
  realKills(backend, 'driver', 24, (run, at) => killDriver(run, 'driver', at)),
  realKills(backend, 'driver and agents', 12, (run, at) => killDriver(run, 'both', at)),
  realKills(backend, 'agent', 4, (run, at) => killAgent(run, moment(at, TURNS_MS))),
  realKills(backend, 'agent before its session is saved', 6, (run, at) =>
    killAgent(run, { record: FIRST_ATTEMPT, afterMs: (at + 1) * UNSAVED_STEP_MS }),
  ),
  realKills(backend, 'server', 4, killServer),
  realKills(backend, 'server that takes over a detached run', 2, (run, at) => killAtHandOver(run, at)),
])

/** What was killed, and what is wrong in the end. */
type Killed = { kills: number; problems: string[] }
type Kill = (run: DrivenRun, at: number) => Promise<Killed>

function realKills(backend: RealBackend, victim: string, times: number, kill: Kill): Scenario {
  const isMissing = programOf(backend) === undefined
  return {
    name: `real-drives: real ${backend}, ${victim} killed; the run continues`,
    times: { gate: 0, full: times },
    obstacle: isMissing ? `${backend} is not on PATH` : undefined,
    run: async (wanted) => await countKills(backend, wanted, kill),
  }
}

async function countKills(backend: RealBackend, wanted: number, kill: Kill): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  const directory = mkdtempSync(join(tmpdir(), 'drover-upstream-'))
  using upstream = await startUpstream(directory)
  const agents = realAgents(backend, upstream, SCRIPT)
  // A moment may come after the end of a run: that run does not count.
  for (let at = 0; figures.times < wanted && at < 3 * wanted; at += 1) {
    using run = new DrivenRun(undefined, agents)
    const { kills, problems } = await kill(run, at)
    figures.times += kills
    figures.processes += run.processes
    figures.sessions = sum(figures.sessions, sessionsIn(run.home.home))
    figures.problems.push(...problems.map((problem) => `run ${at}: ${problem}`))
  }
  rmSync(directory, { recursive: true })
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

type Moment = Pick<KillPoint, 'record' | 'afterMs'>

/** Some time after the next record. */
function moment(at: number, lastMs: number, records = 0): Moment {
  return { record: records + 1, afterMs: Math.round(((at * GOLDEN) % 1) * lastMs) }
}

const recordsOf = (run: DrivenRun) => run.recorded.split('\n').length - 1

async function killDriver(run: DrivenRun, victim: Victim, at: number): Promise<Killed> {
  let before = ''
  const problems: string[] = []
  for (let kills = 0; ; kills += 1) {
    const next = moment(at * KILLS_PER_RUN + kills, TURNS_MS, recordsOf(run))
    const isLast = kills === KILLS_PER_RUN
    const ended = await run.drive(isLast ? undefined : { victim, file: 'drive.jsonl', ...next })
    if (!ended.isKilled) return { kills, problems: [...problems, ...(await describeEnd(run, ended, before))] }
    if (!run.recorded.startsWith(before)) problems.push('records were lost')
    before = run.recorded
  }
}

/** Three kills in one action pause a run, which says so; it continues when it is driven again. */
async function describeEnd(run: DrivenRun, ended: DriveEnded, before: string): Promise<string[]> {
  const isPaused = ended.code === 4 && ended.output.includes('was killed 3 times in a row')
  return await run.problems(isPaused ? await run.drive() : ended, before)
}

async function killAgent(run: DrivenRun, when: Moment): Promise<Killed> {
  const ended = await run.drive({ victim: 'agent', file: 'drive.jsonl', ...when })
  return { kills: ended.isKilled ? 1 : 0, problems: await run.problems(ended, '') }
}

async function killServer(run: DrivenRun, at: number): Promise<Killed> {
  const first = await run.serve({ victim: 'driver', file: 'drive.jsonl', ...moment(at, TURNS_MS) })
  if (!first.isKilled) return { kills: 0, problems: [] }
  const before = run.recorded
  return { kills: 1, problems: await run.problems(await run.serve(), before) }
}

async function killAtHandOver(run: DrivenRun, at: number): Promise<Killed> {
  const ended = await run.handOver(at % 2 === 0 ? 'asked' : 'listed')
  return ended === undefined ? { kills: 0, problems: [] } : { kills: 1, problems: await run.problems(ended, '') }
}
