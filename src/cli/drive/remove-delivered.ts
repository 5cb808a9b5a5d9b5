/** Removes the worktree of a run when its branch holds all of the work. */
import { findPaths } from '../../config/paths.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { describeKeepReason } from '../../workspace/worktrees/inspect-worktree.ts'
import { removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { listWorktrees } from '../../workspace/worktrees/worktree-records.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf } from '../settings.ts'

/** Why it stays; undefined if it is removed, or was never there. */
export async function removeDelivered(
  invocation: Invocation,
  { git, signal }: RunContext,
  { place, delivered, options }: DriveState,
): Promise<string | undefined> {
  if (place.kind !== 'worktree' || delivered === undefined || options.deliver === 'none') return undefined
  const { worktrees: home } = findPaths(configEnvironmentOf(invocation))
  const worktree = listWorktrees(home).find(
    ({ branch, repository }) => branch === place.branch && repository === place.repository,
  )
  if (worktree === undefined) return undefined
  const removal = await removeWorktree({ git, worktree, signal })
  return removal.is === 'kept' ? `The worktree ${place.root} stays: ${describeKeepReason(removal.reason)}.` : undefined
}
