/** The base of a pull request: whether it can be merged into the branch, and the merge if an agent has to resolve conflicts. */
import { join } from 'node:path'
import { fetchCommit } from '../workspace/fetch-commit.ts'
import { askGitForOutput, SLOW_GIT_MS } from '../workspace/git.ts'
import { isAncestor, resolveRevision } from '../workspace/worktrees/branch-checkouts.ts'
import { commitTree, type TriedMerge, tryMerge, withMergeScratch } from '../workspace/worktrees/try-merge.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import { driveBranchDiverged, driveDeliveryFailed } from './faults.ts'
import { textNow } from './observe-tree.ts'
import { refuseChangedRemotes } from './push-branch.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'
import type { Requirement } from './record/follow-event.shape.ts'

const MARKER = /^<{7} /m

/** Brings a branch of `origin` into the repository. Returns its commit; empty if there is no such branch. */
export async function fetchBranch(context: DriveContext, place: WorktreePlace, branch: string): Promise<string> {
  refuseChangedRemotes(context, place)
  const { git, signal, workspace } = context.runs
  return await fetchCommit(git, { directory: workspace.worktree_root, signal, ref: `refs/heads/${branch}` })
}

/** Whether a commit can be merged into the branch. Undefined if this git cannot tell. */
export async function tryBase(context: DriveContext, head: string, base: string): Promise<TriedMerge | undefined> {
  return await withMergeScratch(merging(context), { stay: false }, (scratch) => tryMerge(scratch, head, base))
}

/** Merges the base with its conflict markers, once: the agent of the round resolves them. */
export async function mergeConflict(context: DriveContext, { commit = '' }: Requirement): Promise<void> {
  const { runs } = context
  const { place } = readDriveState(context)
  const around = { directory: runs.workspace.worktree_root, signal: runs.signal }
  const head = await resolveRevision(runs.git, around, 'HEAD')
  if (place.kind !== 'worktree' || (await isAncestor(runs.git, around, [commit, head]))) return
  const merged = await withMergeScratch(merging(context), { stay: true }, async (scratch) => {
    const tried = await tryMerge(scratch, head, commit)
    const message = `Merge ${commit.slice(0, 12)} into ${place.branch}, with conflicts`
    return tried && (await commitTree(scratch, { tree: tried.tree, parents: [head, commit], message }))
  })
  if (merged === undefined)
    throw driveDeliveryFailed({ problem: 'git cannot merge the base; update git to 2.38 or later' })
  await moveTo(context, merged)
}

/** Puts the branch and its worktree on a commit. Everything in the worktree is committed already. */
async function moveTo({ runs }: DriveContext, commit: string): Promise<void> {
  await askGitForOutput(
    { ...runs.git, timeoutMs: SLOW_GIT_MS },
    {
      directory: runs.workspace.worktree_root,
      args: ['reset', '--hard', '--quiet', '--no-recurse-submodules', commit],
      signal: runs.signal,
    },
  )
}

/** The files that still have conflict markers. */
export function unresolvedIn({ runs }: Pick<DriveContext, 'runs'>, requirements: readonly Requirement[]): string[] {
  return requirements
    .flatMap(({ conflicts = [] }) => conflicts)
    .filter((path) => MARKER.test(textNow(runs.workspace.worktree_root, path) ?? ''))
}

function merging({ runs: { git, signal, workspace } }: DriveContext) {
  return { git, signal, objects: join(workspace.git_common_dir, 'objects') }
}

/**
 * Continues on top of what another person pushed to the branch of a run. Everything in the worktree is committed. Returns
 * the commit that it is on then.
 */
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
