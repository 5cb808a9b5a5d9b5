/** Reads the queue of this machine: the records of queued runs, and what each of them waits for. */
import { openRunStore } from '../../journal/run-store.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Caller, USER } from '../../prompts/caller.ts'
import { agentInCharge, waitsForOthers } from '../decide/after-limit.ts'
import {
  describeWait,
  filesOf,
  overlapsOf,
  type PlannedRun,
  planQueue,
  type QueuedRun,
  type QueueFacts,
} from '../decide/queue.ts'
import { readTotals } from '../group-totals.ts'
import { readBlocks } from '../read-queue-wait.ts'
import { lastRound } from '../read-verdict.ts'
import { readDrive } from '../record/drive-journal.ts'
import type { DriveState } from '../record/drive-state.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { findDriven } from '../record/driven-records.ts'
import { findAgentLimit } from '../wait-for-limit.ts'
import type { DrivenRun, RunQueue } from './driven-run.shape.ts'
import { type DrivenFacts, stateOfDriven, toDrivenRun } from './driven-view.ts'
import type { RunReader } from './run-reader.ts'

export type QueuePlaces = {
  readonly reader: RunReader
  /** The directory of the records of driven runs. */
  readonly directory: string
  /** The directory of what is known about limits of agents. */
  readonly agentLimits: string
  readonly clock: Clock
  readonly parallel: number
}

/** The queued runs of all callers, in the order in which they start. */
export async function readPlan(places: QueuePlaces): Promise<PlannedRun[]> {
  return planQueue(await readFacts(places))
}

async function readFacts(places: QueuePlaces): Promise<QueueFacts> {
  const { reader, clock, parallel } = places
  const now = clock.now()
  const records = reader.list(USER)
  const queued: QueuedRun[] = []
  for (const record of records.filter((each) => each.queued !== undefined)) {
    const facts = await reader.tryRead(record)
    if (facts !== undefined && stateOfDriven(facts) === 'queued') queued.push(await toQueuedRun(places, facts, now))
  }
  return {
    queued,
    running: records
      .filter((each) => each.is_server_driven && each.queued === undefined && usesAgents(each, now))
      .map(ownerOf),
    taken: records.flatMap((each) => (each.taken_at === undefined ? [] : [{ ...ownerOf(each), at: each.taken_at }])),
    parallel,
  }
}

/** A run that waits for a limit, or only follows its pull request, takes no place. Its driver continues it by itself. */
function usesAgents({ run_id: id, git_common_dir: gitCommonDir }: DrivenRecord, now: Date): boolean {
  const store = openRunStore({ gitCommonDir })
  if (readDrive(store, id) === undefined) return true
  const { delivered, waiting } = lastRound(store, id)
  // The agent is tried again at that moment, before its driver has said so.
  const isWaiting = waiting !== undefined && Date.parse(waiting.until) > now.getTime()
  return delivered === undefined && !isWaiting
}

function ownerOf({ key_id: key = '', git_common_dir: repository }: DrivenRecord) {
  return { key, repository }
}

async function toQueuedRun(
  { reader, directory, agentLimits }: QueuePlaces,
  { record, drive }: DrivenFacts,
  now: Date,
): Promise<QueuedRun> {
  const { run_id: id, queued } = record
  return {
    id,
    ...ownerOf(record),
    position: queued?.position ?? 0,
    isFirst: queued?.is_first === true,
    ...(await readBlocks(reader.contextFor(record), drive, directory)),
    isLimited: isLimited(agentLimits, drive, now),
  }
}

function isLimited(agentLimits: string, drive: DriveState, now: Date): boolean {
  const until = findAgentLimit(agentLimits, agentInCharge('orient', drive).backend)?.until
  if (until === undefined || Date.parse(until) <= now.getTime()) return false
  return waitsForOthers(drive, until, { canAsk: false, now })
}

const OPEN: readonly DrivenRun['state'][] = ['queued', 'running', 'waiting_for_limit']
const TOTALS: readonly string[] = ['total_tokens', 'total_cost']

/** A run that the total of its group has paused continues with a higher one. */
function isOpen({ state, pause }: DrivenRun): boolean {
  return OPEN.includes(state) || (state === 'paused' && TOTALS.includes(pause?.reason ?? ''))
}

/** For a person: what runs, what is queued, and what became of the runs that were queued together with these. */
export async function readQueue(places: QueuePlaces, by: Caller): Promise<RunQueue> {
  const { directory, parallel } = places
  const plan = await readPlan(places)
  const all = (await readServed(places, by)).map((facts) => ({ facts, run: toDrivenRun(facts) }))
  const groups = new Set(
    all.filter(({ run }) => isOpen(run)).map(({ facts }) => facts.record.group?.id ?? facts.record.run_id),
  )
  const shown = all
    .filter(({ facts, run }) => run.state !== 'continued' && groups.has(facts.record.group?.id ?? facts.record.run_id))
    .map(({ facts, run }) => withPlan(run, facts, plan))
  const changing = all.map(({ facts }) => toChanging(facts))
  const runs = shown.map((run) => withOverlaps(run, changing)).sort(inOrder)
  const totals = totalsOf(directory, runs)
  return { parallel, runs, ...(totals.length > 0 && { totals }) }
}

/** Of the runs with these ids, also those that have ended: which runs change the same files. */
export async function readQueueOverlaps(places: QueuePlaces, by: Caller, ids: readonly string[]) {
  const changing = (await readServed(places, by)).map(toChanging)
  const wanted = changing.filter(({ id }) => ids.includes(id))
  return wanted.flatMap((own) => overlapsOf(own, changing).map((overlap) => ({ id: own.id, overlap })))
}

/** What a server drives, has driven or has queued. */
async function readServed({ reader }: QueuePlaces, by: Caller): Promise<DrivenFacts[]> {
  const records = reader
    .list(by)
    .filter(({ queued, taken_at, is_server_driven }) => queued ?? taken_at ?? is_server_driven)
  return (await Promise.all(records.map((record) => reader.tryRead(record)))).filter((each) => each !== undefined)
}

const MICRO = 1_000_000

/** What groups of runs have used, and may use; only of groups with a limit. */
function totalsOf(directory: string, runs: readonly DrivenRun[]): NonNullable<RunQueue['totals']> {
  const byGroup = Map.groupBy(runs, ({ id }) => findDriven(directory, id)?.group?.id)
  return [...byGroup].flatMap(([group, members]) => {
    const [{ id } = { id: '' }] = members
    const totals = group === undefined ? undefined : readTotals(directory, id)
    if (totals === undefined) return []
    const { spent, caps } = totals
    return {
      run_ids: members.map((each) => each.id),
      tokens: spent.tokens,
      ...(caps.max_tokens !== undefined && { max_tokens: caps.max_tokens }),
      cost_usd: spent.cost_microusd / MICRO,
      ...(caps.max_cost_microusd !== undefined && { max_cost_usd: caps.max_cost_microusd / MICRO }),
    }
  })
}

function withPlan(run: DrivenRun, { drive }: DrivenFacts, plan: readonly PlannedRun[]): DrivenRun {
  const at = plan.findIndex(({ id }) => id === run.id)
  if (at === -1) return run
  const { waitsFor = 'turn' } = plan[at] ?? {}
  const place = {
    ...{ number: at + 1, waits_for: waitsFor },
    ...(drive.after !== undefined && { after: drive.after }),
    ...(waitsFor !== 'turn' && { reason: describeWait(waitsFor, drive.after) }),
  }
  return { ...run, queue: place }
}

function toChanging({ record, drive, earlier }: DrivenFacts) {
  const { run_id: id, git_common_dir: repository } = record
  return { id, repository, after: drive.after, next: drive.next_run_id, files: filesOf([drive, ...earlier]) }
}

function withOverlaps(run: DrivenRun, changing: readonly ReturnType<typeof toChanging>[]): DrivenRun {
  const own = changing.find(({ id }) => id === run.id)
  const overlaps = own === undefined ? [] : overlapsOf(own, changing)
  if (overlaps.length === 0) return run
  return { ...run, overlaps: overlaps.map(({ run_id, files }) => ({ run_id, files: [...files] })) }
}

/** Those that have started first, then the queue. */
function inOrder(a: DrivenRun, b: DrivenRun): number {
  const at = ({ queue }: DrivenRun) => queue?.number ?? 0
  return at(a) - at(b) || (a.created_at < b.created_at ? -1 : 1)
}
