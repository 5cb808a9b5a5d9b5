/** How the work of a run gets into a branch. Pure. */
import type { EventOf } from '../record/drive-event.shape.ts'

export type MergeFacts = {
  /** The branch has the work already: someone merged it, or a process that was killed did. */
  readonly isContained: boolean
  /** The work has all commits of the branch. */
  readonly isAhead: boolean
}

export type MergePlan = {
  readonly how: EventOf<'merged'>['data']['how']
  /** The checks have not seen the result. After a fast-forward it is the commit that was checked before its delivery. */
  readonly needsChecks: boolean
}

export function planMerge({ isContained, isAhead }: MergeFacts): MergePlan {
  if (isContained) return { how: 'by_hand', needsChecks: false }
  return isAhead ? { how: 'fast_forward', needsChecks: false } : { how: 'merge_commit', needsChecks: true }
}
