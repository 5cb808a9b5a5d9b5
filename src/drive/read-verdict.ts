/** Reads what a verdict depends on: the records, the driver, the worktree and the rounds before. */
import { existsSync } from 'node:fs'
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import { runNotFound } from '../journal/faults.ts'
import type { RunStore } from '../journal/run-store.ts'
import type { RunOutline } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { type FollowRecord, toFollowRecord } from './decide/follow-record.ts'
import { toVerdict, type VerdictFacts } from './decide/verdict.ts'
import { type DriveContext, readDriveState } from './drive-context.ts'
import { isDriven, readDrive } from './record/drive-journal.ts'
import type { DriveState } from './record/drive-state.ts'

type Judged = {
  run: RunOutline
  drive: DriveState
  /** The id of the run as commands name it. */
  name?: string | undefined
  waitsFor?: VerdictFacts['waitsFor']
}

export async function readVerdict(
  { store, clock }: Pick<RunContext, 'store' | 'clock'>,
  { drive, ...judged }: Judged,
): Promise<RunVerdict> {
  const driven = await isDriven(store, judged.run.id)
  return toVerdict({ ...judged, drive, isDriven: driven, ...surroundings(store, drive), now: clock.now() })
}

/** The verdict as it will be when the driver that delivers has ended. */
export function verdictOnDelivery(
  { store, clock }: Pick<RunContext, 'store' | 'clock'>,
  { run, drive }: { run: RunOutline; drive: DriveState },
): RunVerdict {
  return toVerdict({ run, drive, isDriven: false, ...surroundings(store, drive), now: clock.now() })
}

/** What is around the records of a run. */
export function surroundings(store: RunStore, drive: DriveState): Pick<VerdictFacts, 'earlier' | 'hasWorktree'> {
  return { earlier: readEarlier(store, drive), hasWorktree: existsSync(drive.place.root) }
}

/** The run with the rounds before it, latest first. */
export function roundsOf(store: RunStore, drive: DriveState): [DriveState, ...DriveState[]] {
  return [drive, ...readEarlier(store, drive)]
}

/** What all rounds say about the pull request. */
export function readFollowRecord({ runs, journal }: Pick<DriveContext, 'runs' | 'journal'>): FollowRecord {
  return toFollowRecord(roundsOf(runs.store, readDriveState({ journal })))
}

/** The latest of the runs that continue a driven run; itself if none does. Throws `run_not_found` if it was never driven. */
export function lastRound(store: RunStore, runId: string): DriveState {
  const drive = readDrive(store, runId)
  if (drive === undefined) throw runNotFound({ run_id: runId })
  const { next_run_id: next } = drive
  // It is announced before it is started.
  return next === undefined || readDrive(store, next) === undefined ? drive : lastRound(store, next)
}

/** The rounds before, latest first. */
function readEarlier(store: RunStore, { previous_run_id: id }: DriveState): DriveState[] {
  const before = id === undefined ? undefined : readDrive(store, id)
  return before === undefined ? [] : [before, ...readEarlier(store, before)]
}
