/** Removes the worktree of a run when its branch holds all of the work, and the branch when its pull request holds that. */
import { Fault } from '../../kit/fault.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { askGit } from '../../workspace/git.ts'
import { listWorktrees } from '../../workspace/worktree-records.ts'
import { describeKeepReason } from '../../workspace/worktrees/inspect-worktree.ts'
import { removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { DriveState } from '../record/drive-state.ts'

/** `worktrees` is their directory. Returns why it stays; undefined if it is removed, or was never there. */
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
