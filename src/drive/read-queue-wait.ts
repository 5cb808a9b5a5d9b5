/** Reads what keeps a queued run from being started: the run whose branch it starts on, and the limits of its group. */
import { ignoreFault, tryTo } from '../kit/fault.ts'
import { outlineRun } from '../runs/read-status.ts'
import type { RunContext } from '../runs/run-context.ts'
import { asOwner } from '../runs/run-worktree.ts'
import { whyNotReached } from './decide/judge-work.ts'
import { blockOf, deliveredCommit, type QueuedRun, type QueueWait } from './decide/queue.ts'
import { reachedTotal } from './decide/spending.ts'
import { readTotals } from './group-totals.ts'
import { lastRound } from './read-verdict.ts'
import { isDriven } from './record/drive-journal.ts'
import type { DriveState } from './record/drive-state.ts'
import { findDriven } from './record/driven-records.ts'

type Blocks = Pick<QueuedRun, 'after' | 'isTotalReached'>

/** `records` is the directory of the records of driven runs. Undefined if the run is not queued. */
export async function readQueueWait(
  context: RunContext,
  drive: DriveState,
  records: string,
): Promise<QueueWait | undefined> {
  return drive.is_queued === true ? (blockOf(await readBlocks(context, drive, records)) ?? 'turn') : undefined
}

export async function readBlocks(
  context: RunContext,
  { run_id: id, after }: DriveState,
  records: string,
): Promise<Blocks> {
  return {
    ...(after !== undefined && { after: { id: after, is: await readBefore(context, after, records) } }),
    isTotalReached: reachedTotal(readTotals(records, id)) !== undefined,
  }
}

/** How far the run is on whose branch another one starts. */
async function readBefore(
  context: RunContext,
  id: string,
  records: string,
): Promise<NonNullable<Blocks['after']>['is']> {
  const last = tryTo(() => lastRound(context.store, id))
  if (last === undefined) return 'gone'
  if ((await findStartCommit(context, last)) !== undefined) return 'delivered'
  return (await isOver(context, last, records)) ? 'not_delivered' : 'open'
}

/** The commit on which a run starts that comes after this one. Undefined if this one has delivered none, or its work does not pass. */
export async function findStartCommit(context: RunContext, last: DriveState): Promise<string | undefined> {
  const { run_id: id, delivered } = last
  const commit = deliveredCommit(last)
  if (commit === undefined || delivered === undefined) return undefined
  const run = await outlineRun(asOwner(context, id), id).catch(ignoreFault)
  return run && whyNotReached({ run, drive: last, delivered }) === undefined ? commit : undefined
}

async function isOver(context: RunContext, last: DriveState, records: string): Promise<boolean> {
  const { run_id: id, discarded, merged, delivered, failed, paused, is_queued: isQueued } = last
  if (await isDriven(context.store, id)) return false
  if (discarded !== undefined || merged !== undefined) return true
  const { state } = (await outlineRun(asOwner(context, id), id).catch(ignoreFault)) ?? {}
  if (state === 'stopped' || state === 'paused' || isQueued === true) return state === 'stopped'
  if ((findDriven(records, id)?.problem ?? failed) !== undefined) return true
  return paused === undefined && delivered !== undefined
}
