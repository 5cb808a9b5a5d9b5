/** Continues on top of what another person pushed to the branch of a run. */
import { join } from 'node:path'
import { isAncestor, resolveRevision } from '../workspace/worktrees/branch-checkouts.ts'
import { commitTree, tryMerge, withMergeScratch } from '../workspace/worktrees/try-merge.ts'
import { type DriveContext, record } from './drive-context.ts'
import { driveBranchDiverged, driveDeliveryFailed } from './faults.ts'
import { fetchBranch, moveTo } from './merge-base.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'

/** Everything in the worktree is committed. Returns the commit that it is on then. */
export async function takeOver(context: DriveContext, place: WorktreePlace): Promise<{ head: string; pushed: string }> {
  const { git, signal, workspace } = context.runs
  const around = { directory: workspace.worktree_root, signal }
  const pushed = await fetchBranch(context, place, place.branch)
  if (pushed === '') throw driveDeliveryFailed({ problem: `origin has no branch ${place.branch} any more` })
  const own = await resolveRevision(git, around, 'HEAD')
  const isIn = async (one: string, other: string) => await isAncestor(git, around, [one, other])
  const head = (await isIn(pushed, own)) ? own : (await isIn(own, pushed)) ? pushed : await merge()
  if (head !== own) await moveTo(context, head)
  record(context, 'taken_over', { commit: pushed })
  return { head, pushed }

  async function merge(): Promise<string> {
    const repository = { git, signal, objects: join(workspace.git_common_dir, 'objects') }
    const merged = await withMergeScratch(repository, { stay: true }, async (scratch) => {
      const tried = await tryMerge(scratch, own, pushed)
      const message = `Merge ${pushed.slice(0, 12)} into ${place.branch}`
      if (tried?.is !== 'clean') return undefined
      return await commitTree(scratch, { tree: tried.tree, parents: [own, pushed], message })
    })
    if (merged === undefined) throw driveBranchDiverged({ branch: place.branch, commit: own.slice(0, 12) })
    return merged
  }
}
