/** What a person does with a run after its agents: merge its work, open a pull request, discard it, take it. */
import { isFault } from '../../kit/fault.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner, refuseOwnRun } from '../../runs/run-worktree.ts'
import { deleteBranchAt } from '../../workspace/worktrees/branch-checkouts.ts'
import { openPullRequest } from '../deliver.ts'
import { readDriveState, record } from '../drive-context.ts'
import { driveDeliveryFailed } from '../faults.ts'
import { lastRound } from '../read-verdict.ts'
import { isDriven, openDriveJournal } from '../record/drive-journal.ts'
import type { DriveState } from '../record/drive-state.ts'
import { changesToRestore } from '../restore-repository.ts'
import { removeDelivered } from '../start/worktree-of-run.ts'
import { stopDriven } from '../stop-driven.ts'
import {
  type Acting,
  type ActTools,
  inRepository,
  refuseUnchecked,
  requireDelivered,
  requireReached,
  requireUnchanged,
} from './acting.ts'
import { discardRun, undoDiscard } from './discard-run.ts'
import { pullRequestNotOpened } from './faults.ts'
import { type MergeWanted, mergeRun, takeRun } from './merge-run.ts'

export type WorkAct =
  | ({ readonly do: 'merge' } & MergeWanted)
  | { readonly do: 'pull_request' }
  | { readonly do: 'discard' }
  | { readonly do: 'undo_discard' }
  | { readonly do: 'take' }

/**
 * `runId` is any round of the run, and `context` its repository, in a worktree of the user. Who is done with it can do it again: it
 * ends in the same state. Throws `drive_busy` while a process drives the run or acts on it.
 */
export async function actOnRun(
  context: RunContext,
  { runId, act }: { runId: string; act: WorkAct },
  tools: ActTools,
): Promise<DriveState> {
  const { store } = context
  const { run_id: lastId, delivered } = lastRound(store, runId)
  for (const id of [runId, lastId]) refuseOwnRun(context, id)
  // Its driver waits for the forge, and would not be told.
  const isFollowed = act.do === 'merge' && act.here === true && delivered?.pull_request !== undefined
  if (isFollowed && (await isDriven(store, lastId))) await stopDriven(context, lastId)
  using journal = await openDriveJournal(store, lastId)
  const acting: Acting = { ...tools, runs: context, runId: lastId, journal }
  await perform(acting, act)
  return readDriveState(acting)
}

async function perform(acting: Acting, act: WorkAct): Promise<void> {
  switch (act.do) {
    case 'merge':
      return await mergeAndCleanUp(acting, act)
    case 'pull_request':
      return await publish(acting)
    case 'discard':
      return await discardRun(acting)
    case 'undo_discard':
      return await undoDiscard(acting)
    case 'take':
      return await takeRun(acting)
  }
}

/** The worktree, which may be there for the checks, is removed in any case; the branch if its work is merged. */
async function mergeAndCleanUp(acting: Acting, wanted: MergeWanted): Promise<void> {
  try {
    await mergeRun(acting, wanted)
  } finally {
    const state = readDriveState(acting)
    const { runs } = acting
    await removeDelivered(acting.worktrees, runs, state)
    const { place, delivered: { commit = '' } = {} } = state
    if (state.merged !== undefined && place.kind === 'worktree')
      await deleteBranchAt(runs.git, inRepository(runs), { branch: place.branch, commit })
  }
}

/** As at the end of a drive. A pull request that is open already is used. */
async function publish(acting: Acting): Promise<void> {
  const { delivered } = readDriveState(acting)
  if (delivered?.pull_request !== undefined) return
  const work = requireDelivered(acting)
  refuseUnchecked(acting)
  await requireReached(acting, work)
  await requireUnchanged(acting, work)
  const runs = asOwner(acting.runs, acting.runId)
  const told = { ...delivered, as: 'branch' } as const
  try {
    refuseChangedSettings(acting)
    const url = await openPullRequest({ ...acting, runs }, work.place, told)
    record(acting, 'pull_request_opened', { by: acting.who, url })
  } catch (error) {
    if (!isFault(error, driveDeliveryFailed)) throw error
    const { branch } = work.place
    throw pullRequestNotOpened({ run_id: acting.runId, branch, problem: error.details.problem }, error)
  }
}

/** An agent may have named another remote. The record of the worktree that would show it is gone. */
function refuseChangedSettings(acting: Acting): void {
  const changed = changesToRestore(readDriveState(acting)).find(({ what }) => what === 'config')
  if (changed === undefined) return
  throw driveDeliveryFailed({
    problem: `${changed.name} of the repository changed while the agents ran, so nothing was pushed; "drover drive ${acting.runId} --restore" puts it back`,
  })
}
