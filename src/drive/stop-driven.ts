/** Stops a driven run: its work, or, after the delivery, the look at its pull request. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { reportChange } from '../runs/change-run.ts'
import { openRun } from '../runs/open-run.ts'
import { stopRun } from '../runs/operations.ts'
import type { RunContext } from '../runs/run-context.ts'
import { asOwner, openOwnWorktree, refuseOwnRun } from '../runs/run-worktree.ts'
import { lastRound } from './read-verdict.ts'
import { isDriven, readDrive, requestStop } from './record/drive-journal.ts'
import { driveBusy } from './record/faults.ts'

const LOOK_MS = 50
/** A driver notices the request within a fraction of a second, and git or gh may have to end. */
const PATIENCE_MS = 15_000

/** `runId` is any of its rounds, and `context` any worktree of its repository. Throws `run_already_ended` if there is nothing to stop. */
export async function stopDriven(context: RunContext, runId: string): Promise<ProtocolState> {
  const { store, signal } = context
  if (readDrive(store, runId) === undefined) return await stopRun(context, runId)
  refuseOwnRun(context, runId)
  const last = lastRound(store, runId)
  if (last.delivered === undefined) return await stopRun(await openOwnWorktree(context, last.run_id), last.run_id)
  // Its worktree may be gone.
  if (!(await isDriven(store, last.run_id))) return await stopRun(asOwner(context, last.run_id), last.run_id)
  requestStop(store, last.run_id)
  for (const deadline = performance.now() + PATIENCE_MS; await isDriven(store, last.run_id); ) {
    if (performance.now() > deadline) throw driveBusy({ run_id: last.run_id })
    await sleep(LOOK_MS, undefined, { signal })
  }
  return await openRun(asOwner(context, last.run_id), last.run_id, (run) => reportChange(run))
}
