/** What everything that a person does with the work of a run has in common: its records, its branch, and who does it. */

import type { Decider } from '../../agents/adapter/agent.ts'
import { outlineRun } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
import { findTip } from '../../workspace/worktrees/branch-checkouts.ts'
import { checkResults } from '../decide/check-results.ts'
import { whyNotReached } from '../decide/judge-work.ts'
import { type DriveTools, type Recording, readDriveState } from '../drive-context.ts'
import { runDiscarded } from '../faults.ts'
import type { WorktreePlace } from '../record/drive-event.shape.ts'
import { branchChanged, mergeUnchecked, runNotDelivered } from './faults.ts'

/** What the process that acts brings along. */
export type ActTools = Pick<DriveTools, 'env' | 'sandbox' | 'templates' | 'onUpdate'> & {
  /** Who acts, for the record. */
  readonly who: Decider
  /** The directory of the worktrees that drover creates. */
  readonly worktrees: string
  /** What work must have passed before it is merged, checked out or published. */
  readonly requiredChecks?: readonly string[]
}

/** `runs` is the repository, in a worktree that stays. Nobody else can write the records. */
export type Acting = ActTools & Recording

export type DeliveredWork = { readonly place: WorktreePlace; readonly commit: string }

/** Throws `run_not_delivered` or `run_discarded`. */
export function requireDelivered(acting: Acting): DeliveredWork {
  const { place, delivered, discarded, followed } = readDriveState(acting)
  const refuse = (problem: string) => runNotDelivered({ run_id: acting.runId, problem })
  if (discarded !== undefined) throw runDiscarded({ run_id: acting.runId })
  if (delivered === undefined) throw refuse('it has not ended')
  if (place.kind !== 'worktree') throw refuse('it works in place')
  if (followed?.end === 'merged') throw refuse('its pull request was merged')
  const { as, commit, note = 'it has no commit' } = delivered
  if (commit === undefined) throw refuse(note)
  if (as === 'none') throw runNotDelivered({ run_id: acting.runId, problem: note, branch: place.branch })
  return { place, commit }
}

/** Throws `run_not_delivered` if the work is on its branch, and is not what was wanted: a check fails, for example. */
export async function requireReached(acting: Acting, { place: { branch } }: DeliveredWork): Promise<void> {
  const { runs, runId } = acting
  const drive = readDriveState(acting)
  const { delivered } = drive
  const run = await outlineRun(asOwner(runs, runId), runId)
  const problem = delivered && whyNotReached({ run, drive, delivered })
  if (problem !== undefined) throw runNotDelivered({ run_id: runId, problem, branch })
}

/** Throws `merge_unchecked`: the run may have been started without a check that is required now. */
export function refuseUnchecked(acting: Acting): void {
  const { requiredChecks = [], runId } = acting
  const results = checkResults(readDriveState(acting))
  const hasPassed = (check: string) => results.some(({ command, passed }) => command === check && passed)
  const commands = requiredChecks.filter((each) => !hasPassed(each))
  if (commands.length > 0) throw mergeUnchecked({ run_id: runId, commands })
}

/** Throws `branch_changed` if the branch is not at the commit that was checked. */
export async function requireUnchanged(acting: Acting, { place, commit }: DeliveredWork): Promise<void> {
  const { branch } = place
  const found = await findTip(acting.runs.git, inRepository(acting.runs), `refs/heads/${branch}`)
  if (found !== commit) throw branchChanged({ branch, delivered: commit, found })
}

/** Where git is asked about branches: no worktree of a run has to be there. */
export function inRepository({ workspace, signal }: Pick<RunContext, 'workspace' | 'signal'>) {
  return { directory: workspace.git_common_dir, signal }
}
