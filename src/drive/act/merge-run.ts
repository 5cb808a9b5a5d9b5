/**
 * Merges the work of a delivered run into a branch of the user's repository. Before the branch moves, that is recorded: a process
 * that comes after one that was killed finds out whether it has moved.
 */

import { join } from 'node:path'
import { endMarkedProcesses, inTree } from '../../kit/process/process-tree.ts'
import { runInterrupted } from '../../runs/faults.ts'
import { withPinnedGit } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import { askGit, gitErrorLine, SLOW_GIT_MS } from '../../workspace/git.ts'
import {
  findBranch,
  findCheckouts,
  findTip,
  isAncestor,
  listDirty,
  moveBranch,
} from '../../workspace/worktrees/branch-checkouts.ts'
import { commitMerge, tryMerge, withMergeScratch } from '../../workspace/worktrees/try-merge.ts'
import { checkOutAndCheck } from '../check-delivery.ts'
import { explainMergeCheck } from '../decide/delivery-check.ts'
import { planMerge } from '../decide/plan-merge.ts'
import { openBoundaryFor } from '../drive-boundary.ts'
import { readDriveState, record, treeIdOf, uninterrupted } from '../drive-context.ts'
import type { EventOf, WorktreePlace } from '../record/drive-event.shape.ts'
import { removeDelivered, restorePlace } from '../start/worktree-of-run.ts'
import {
  type Acting,
  type DeliveredWork,
  inRepository,
  refuseUnchecked,
  requireDelivered,
  requireReached,
  requireUnchanged,
} from './acting.ts'
import {
  branchCheckedOut,
  checkoutDirty,
  mergeBaseUnknown,
  mergeCheckFailed,
  mergeConflict,
  mergeFailed,
  runHasPullRequest,
  switchFailed,
} from './faults.ts'

export type MergeWanted = {
  /** The branch to merge into. Undefined: the one that was checked out when the run was started. */
  readonly into?: string | undefined
  /** Although the run has a pull request. */
  readonly here?: boolean | undefined
}

type Merge = Omit<EventOf<'merging'>['data'], 'by'>

const SHOWN_FILES = 5

export async function mergeRun(acting: Acting, wanted: MergeWanted): Promise<void> {
  const { merged, merging } = readDriveState(acting)
  if (merged !== undefined) return
  const work = requireDelivered(acting)
  if (merging !== undefined && (await isIn(acting, merging.commit, merging.into))) return noteMerged(acting, merging)
  refuseUnchecked(acting)
  refusePullRequest(acting, wanted)
  const into = wanted.into ?? work.place.base_branch
  const from =
    into === undefined ? undefined : await findTip(acting.runs.git, inRepository(acting.runs), branchRef(into))
  if (into === undefined || from === undefined) throw mergeBaseUnknown({ into })
  await requireUnchanged(acting, work)
  await mergeInto(acting, work, { into, from })
}

function refusePullRequest(acting: Acting, { here = false }: MergeWanted): void {
  const { delivered, followed } = readDriveState(acting)
  const url = delivered?.pull_request
  if (url !== undefined && followed === undefined && !here) throw runHasPullRequest({ url })
}

async function mergeInto(
  acting: Acting,
  work: DeliveredWork,
  { into, from }: Pick<Merge, 'into' | 'from'>,
): Promise<void> {
  const { git } = acting.runs
  const around = inRepository(acting.runs)
  const { how, needsChecks } = planMerge({
    isContained: await isAncestor(git, around, [work.commit, from]),
    isAhead: await isAncestor(git, around, [from, work.commit]),
  })
  if (how === 'by_hand') return noteMerged(acting, { into, from, commit: from, how })
  await requireReached(acting, work)
  await findRoot(acting, into)
  const commit = how === 'merge_commit' ? await createMerge(acting, work, { into, from }) : work.commit
  if (needsChecks) await checkMerge(acting, work.place, { into, commit })
  // Someone may have changed a file meanwhile.
  await move(acting, { into, from, commit, how }, await findRoot(acting, into))
}

/** The worktree of the user that has the branch checked out; undefined if none has. Throws if its files cannot be changed. */
async function findRoot(acting: Acting, branch: string): Promise<string | undefined> {
  const { git, signal } = acting.runs
  const [root, ...others] = await findCheckouts(git, inRepository(acting.runs), branch)
  if (root === undefined) return undefined
  if (others.length > 0) throw branchCheckedOut({ branch, roots: [root, ...others] })
  await refuseDirty(acting, root)
  signal.throwIfAborted()
  return root
}

/** Throws `checkout_dirty`. */
async function refuseDirty({ runs: { git, signal } }: Acting, root: string): Promise<void> {
  const dirty = await listDirty(git, { directory: root, signal })
  if (dirty.length > 0) throw checkoutDirty({ root, files: dirty.slice(0, SHOWN_FILES), count: dirty.length })
}

/** The merge commit; no branch has it yet. Throws `merge_conflict`. */
async function createMerge(
  acting: Acting,
  { place: { branch }, commit }: DeliveredWork,
  { into, from }: Pick<Merge, 'into' | 'from'>,
): Promise<string> {
  const { git, signal, workspace } = acting.runs
  const objects = join(workspace.git_common_dir, 'objects')
  const tried = await withMergeScratch({ git, signal, objects }, { stay: true }, (scratch) =>
    tryMerge(scratch, from, commit),
  )
  if (tried === undefined) throw mergeFailed({ into, problem: 'git cannot merge it; update git to 2.38 or later' })
  if (tried.is === 'conflict') throw mergeConflict({ run_id: acting.runId, branch, into, files: tried.paths })
  const message = `Merge branch '${branch}' into ${into}\n\nRun: ${acting.runId}\n`
  return await commitMerge(git, inRepository(acting.runs), { tree: tried.tree, parents: [from, commit], message })
}

/** From here on nothing is interrupted: a branch that has moved is recorded. */
async function move(acting: Acting, merge: Merge, root: string | undefined): Promise<void> {
  const { into, from, commit: to } = merge
  const runs = uninterrupted(acting.runs)
  record(acting, 'merging', { by: acting.who, ...merge })
  const problem = await moveBranch(runs.git, inRepository(runs), { branch: into, from, to, root })
  if (problem !== undefined) throw mergeFailed({ into, problem })
  noteMerged(acting, merge)
}

function noteMerged(acting: Acting, { into, commit, how }: Merge): void {
  record(acting, 'merged', { by: acting.who, into, commit, how })
}

async function isIn({ runs }: Acting, commit: string, branch: string): Promise<boolean> {
  const around = inRepository(runs)
  const tip = await findTip(runs.git, around, branchRef(branch))
  return tip !== undefined && (await isAncestor(runs.git, around, [commit, tip]))
}

function branchRef(branch: string): string {
  return `refs/heads/${branch}`
}

/** Runs the checks on a merge commit, in a clean checkout, as before a delivery. Throws `merge_check_failed`. The result is recorded either way. */
async function checkMerge(
  acting: Acting,
  place: WorktreePlace,
  { into, commit }: { into: string; commit: string },
): Promise<void> {
  const { options, boundary: before } = readDriveState(acting)
  if (options.checks.length === 0) return
  // The clean checkout is beside it, with the filters that its record names.
  await restorePlace(acting.runs, acting.worktrees, { run_id: acting.runId, place })
  const runs = withPinnedGit(await openOwnWorktree(acting.runs, acting.runId))
  const wasInside = before?.is === 'inside'
  const boundary = await openBoundaryFor(acting.sandbox, { options, wasInside, workspace: runs.workspace })
  const treeId = treeIdOf(place)
  await endMarkedProcesses(treeId)
  const startedAt = performance.now()
  const checked = await checkOutAndCheck({ ...acting, runs, boundary, env: inTree(acting.env, treeId) }, place, commit)
  if (checked === undefined) throw runInterrupted({})
  const duration_ms = Math.round(performance.now() - startedAt)
  if (checked.result !== 'failed') return record(acting, 'merge_checked', { into, commit, ...checked, duration_ms })
  const reason = explainMergeCheck(checked)
  record(acting, 'merge_checked', { into, commit, ...checked, reason, duration_ms })
  throw mergeCheckFailed({ into, reason })
}

async function refuseGoneBranch(acting: Acting, branch: string): Promise<void> {
  if ((await findTip(acting.runs.git, inRepository(acting.runs), branchRef(branch))) !== undefined) return
  const { merged } = readDriveState(acting)
  const problem = merged === undefined ? 'it was deleted' : `it was deleted after its merge into ${merged.into}`
  throw switchFailed({ branch, problem })
}

/** Checks the branch of a delivered run out in the worktree of the user, who continues there by hand. */
export async function takeRun(acting: Acting): Promise<void> {
  refuseUnchecked(acting)
  const { place } = requireDelivered(acting)
  const { branch, root: own } = place
  const { git, signal, workspace } = acting.runs
  // A command may be given in the worktree of the run itself.
  const root = workspace.worktree_root === own ? place.repository : workspace.worktree_root
  const around = { directory: root, signal }
  if ((await findBranch(git, around)) !== branch) {
    await refuseDirty(acting, root)
    await refuseGoneBranch(acting, branch)
    const kept = await removeDelivered(acting.worktrees, acting.runs, readDriveState(acting))
    if (kept !== undefined) throw switchFailed({ branch, problem: kept })
    const roots = await findCheckouts(git, inRepository(acting.runs), branch)
    if (roots.length > 0) throw branchCheckedOut({ branch, roots })
    const args = ['switch', '--quiet', '--no-guess', branch] as const
    const { code, stderr } = await askGit({ ...git, timeoutMs: SLOW_GIT_MS }, { ...around, args })
    if (code !== 0) throw switchFailed({ branch, problem: gitErrorLine(stderr) })
  }
  record(acting, 'taken', { by: acting.who, branch, root })
}
