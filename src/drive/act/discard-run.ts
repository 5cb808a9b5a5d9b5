/** Discards the work of a run: its worktree and its branch. A ref keeps the work for a week, and a person can bring it back. */

import { toTimestamp } from '../../kit/clock.ts'
import { stopRun } from '../../runs/operations.ts'
import { outlineRun } from '../../runs/read-status.ts'
import { asOwner, openOwnWorktree } from '../../runs/run-worktree.ts'
import { askGit, askGitForOutput } from '../../workspace/git.ts'
import { listWorktrees } from '../../workspace/worktree-records.ts'
import { deleteBranchAt, findCheckouts, findTip } from '../../workspace/worktrees/branch-checkouts.ts'
import { commitAll, forgetWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { DISCARDED_REFS, discardedRef, expiredRefs, keptUntil } from '../decide/discarded-refs.ts'
import { hasChangedNothing } from '../decide/judge-work.ts'
import { readDriveState, record } from '../drive-context.ts'
import { roundsOf } from '../read-verdict.ts'
import type { WorktreePlace } from '../record/drive-event.shape.ts'
import { restorePlace } from '../start/worktree-of-run.ts'
import { type Acting, inRepository } from './acting.ts'
import { branchChanged, branchCheckedOut, discardNotUndone, runNotDelivered } from './faults.ts'

/** Each step can be repeated after a kill: the ref, the record, then what the record says is gone. */
export async function discardRun(acting: Acting): Promise<void> {
  const { place, discarded, merged } = readDriveState(acting)
  const refuse = (problem: string) => runNotDelivered({ run_id: acting.runId, problem })
  if (place.kind !== 'worktree') throw refuse('it works in place; nothing was discarded')
  if (merged !== undefined) throw refuse('its work was merged; nothing was discarded')
  if (discarded === undefined) await keep(acting, place)
  await removeWork(acting, place)
  await sweepDiscarded(acting)
}

async function keep(acting: Acting, place: WorktreePlace): Promise<void> {
  const { runs, runId, who } = acting
  const { branch } = place
  const own = findOwn(acting, place)
  const roots = await findCheckouts(runs.git, inRepository(runs), branch)
  const others = roots.filter((root) => root !== place.root)
  if (others.length > 0) throw branchCheckedOut({ branch, roots: others })
  await stopIfActive(acting)
  const isThere = own?.isMissing === false
  const commit = isThere
    ? (await commitAll(own, runs)).head
    : await findTip(runs.git, inRepository(runs), `refs/heads/${branch}`)
  if (commit === undefined) {
    const rounds = roundsOf(runs.store, readDriveState(acting))
    if (hasChangedNothing(rounds)) return record(acting, 'discarded', { by: who, branch })
    throw branchChanged({ branch, delivered: rounds[0].delivered?.commit ?? place.base, found: commit })
  }
  const until = keptUntil(runs.clock.now())
  const ref = discardedRef(runId, until)
  await askGitForOutput(runs.git, { ...inRepository(runs), args: ['update-ref', ref, commit] })
  record(acting, 'discarded', { by: who, branch, commit, ref, until: toTimestamp(until) })
}

/** Nothing more is done in it. */
async function stopIfActive({ runs, runId }: Acting): Promise<void> {
  const { state } = await outlineRun(asOwner(runs, runId), runId)
  if (state === 'active' || state === 'paused') await stopRun(await openOwnWorktree(runs, runId), runId)
}

async function removeWork(acting: Acting, place: WorktreePlace): Promise<void> {
  const { git, signal } = acting.runs
  const { commit } = readDriveState(acting).discarded ?? {}
  const own = findOwn(acting, place)
  if (own !== undefined) await forgetWorktree({ git, worktree: own, signal })
  if (commit === undefined) return
  await deleteBranchAt(git, inRepository(acting.runs), { branch: place.branch, commit })
}

function findOwn({ worktrees }: Acting, { branch, repository }: WorktreePlace) {
  return listWorktrees(worktrees).find((each) => each.branch === branch && each.repository === repository)
}

/** Brings the branch back, and the worktree if the run was not delivered. Throws `discard_not_undone`. */
export async function undoDiscard(acting: Acting): Promise<void> {
  const { runs, runId, who } = acting
  const { discarded, delivered, place } = readDriveState(acting)
  if (discarded === undefined) throw discardNotUndone({ run_id: runId, problem: 'it was not discarded' })
  const { branch, commit, ref } = discarded
  if (commit === undefined || ref === undefined) return record(acting, 'discard_undone', { by: who, branch })
  const found = await findTip(runs.git, inRepository(runs), `refs/heads/${branch}`)
  if (found !== undefined && found !== commit) {
    throw discardNotUndone({ run_id: runId, problem: `there is another branch ${branch}; rename it first` })
  }
  const args = ['update-ref', `refs/heads/${branch}`, commit] as const
  const { code } = await askGit(runs.git, { ...inRepository(runs), args })
  if (code !== 0) throw discardNotUndone({ run_id: runId, problem: `its commit ${commit} was removed` })
  if (delivered === undefined) await restorePlace(runs, acting.worktrees, { run_id: runId, place })
  record(acting, 'discard_undone', { by: who, branch, commit })
  await askGit(runs.git, { ...inRepository(runs), args: ['update-ref', '-d', ref, commit] })
}

/** Removes the refs of discarded work of the whole repository whose time is over. */
async function sweepDiscarded({ runs: { git, clock, ...runs } }: Acting): Promise<void> {
  const around = inRepository(runs)
  const args = ['for-each-ref', '--format=%(refname)', DISCARDED_REFS] as const
  const refs = (await askGitForOutput(git, { ...around, args })).toString('utf8').split('\n').filter(Boolean)
  for (const ref of expiredRefs(refs, clock.now())) {
    await askGit(git, { ...around, args: ['update-ref', '-d', ref] })
  }
}
