/** The worktree of a run that has one: removed after the delivery, and checked out again where it was. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readRunHeader } from '../../journal/read-run.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { askGit } from '../../workspace/git.ts'
import { listWorktrees } from '../../workspace/worktree-records.ts'
import { restoreWorktree } from '../../workspace/worktrees/create-worktree.ts'
import { describeKeepReason } from '../../workspace/worktrees/inspect-worktree.ts'
import { forgetWorktree, removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { Place } from '../record/drive-event.shape.ts'
import type { DriveState } from '../record/drive-state.ts'

/**
 * Removes the worktree when its branch holds all of the work, and the branch when its pull request holds that. `worktrees` is their
 * directory. Returns why it stays; undefined if it is removed, or was never there.
 */
export async function removeDelivered(
  worktrees: string,
  { git, signal }: RunContext,
  state: DriveState,
): Promise<string | undefined> {
  const {
    place,
    delivered,
    options,
    delivery_check: checked,
    followed,
    pushed: [pushed = ''],
  } = state
  if (place.kind !== 'worktree' || delivered === undefined || options.deliver === 'none') return undefined
  const worktree = listWorktrees(worktrees).find(
    ({ branch, repository }) => branch === place.branch && repository === place.repository,
  )
  if (worktree === undefined) return undefined
  const { git_common_dir: directory } = worktree
  const stays = (reason: string) => `The worktree ${place.root} stays: ${reason}.`
  if (checked?.result === 'failed') return stays('its checks fail in a clean checkout of the commit')
  try {
    const removal = await removeWorktree({ git, worktree, signal })
    if (removal.is === 'kept') return stays(describeKeepReason(removal.reason))
    // Git deletes it only if it is what was pushed.
    const args = ['update-ref', '-d', `refs/heads/${place.branch}`, pushed] as const
    if (followed !== undefined && pushed !== '') await askGit(git, { directory, args, signal })
    return undefined
  } catch (error) {
    // The work is delivered, so this is not a failure of the run.
    if (error instanceof Fault) return stays(error.message)
    throw error
  }
}

type PlacedRun = { readonly run_id: string; readonly place: Place }

/** Checks the branch out again, where its worktree was before it was removed. A process that was killed may have begun it. */
export async function restorePlace(
  context: RunContext,
  worktrees: string,
  { run_id, place }: PlacedRun,
): Promise<void> {
  if (place.kind !== 'worktree' || existsSync(place.root)) return
  const { git, clock, signal, workspace: repository } = context
  const begun = { path: place.root, directory: dirname(place.root), git_common_dir: repository.git_common_dir }
  if (existsSync(begun.directory)) await forgetWorktree({ git, signal, worktree: begun })
  const wanted = { home: worktrees, repository, commit: place.base, title: '', git, clock, ids: randomIds, signal }
  await restoreWorktree(wanted, place.branch, readRunHeader(context.store, run_id).workspace_identity.git_dir)
}
