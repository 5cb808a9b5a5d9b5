/** What the checks in a clean checkout of the commit say about a delivery. Pure. */
import { listSome } from '../../kit/wording.ts'
import { howItEnded } from '../prompt/follow-ups.ts'
import type { DeliveryCheck } from '../record/drive-state.ts'
import { type Checked, checkResults } from './check-results.ts'

const SHOWN_PATHS = 5

/** Undefined if the checks have to run once more. Where they fail already, another run would not tell more. */
export function whyCheckIsSkipped(
  state: Checked,
  { commit, tree_id }: { readonly commit: string; readonly tree_id: string },
): string | undefined {
  const failed = checkResults({ ...state, delivered: { as: 'branch', commit, tree_id } }).find(({ passed }) => !passed)
  return failed && `in the worktree, the check ${failed.command} ${failed.result}`
}

type Ran = Pick<DeliveryCheck, 'setup_failed' | 'checks'>

/** Why a merge is not made. What it does to the worktree of the run is not known. */
export function explainMergeCheck({ setup_failed: setup, checks }: Ran): string {
  if (setup !== undefined) return `the setup ${setup.command} ${howItEnded(setup)}, so no check ran`
  const failed = checks.filter(({ passed }) => !passed)
  return failed.map((run) => `the check ${run.command} ${howItEnded(run)}`).join('; ')
}

/** Why checks that passed in the worktree fail in the checkout. `missing` is only in the worktree. */
export function explainDeliveryCheck({ setup_failed: setup, checks }: Ran, missing: readonly string[]): string {
  if (setup !== undefined)
    return `in a clean checkout of the commit, the setup ${setup.command} ${howItEnded(setup)}, so no check ran`
  const failed = checks.filter(({ passed }) => !passed).map(({ command }) => command)
  const what = failed.length === 1 ? `the check ${failed[0]} passes` : `the checks ${failed.join(', ')} pass`
  const where = `${what} in the worktree and ${failed.length === 1 ? 'fails' : 'fail'} in a clean checkout of the commit`
  return missing.length === 0
    ? where
    : `${where}, which lacks files that are not committed: ${listSome(missing, SHOWN_PATHS)}`
}
