import type { Action } from '../../src/contract/action.shape.ts'
import type { Outcome } from '../../src/contract/outcome.shape.ts'
import type { Run } from '../../src/engine/state/run.ts'
import { outcomeOf, type Report } from './drive-run.ts'

/** An outcome of this action that keeps to the contract. */
export function outcomeFor(action: Action | undefined, report: Report = {}): Outcome {
  return outcomeOf({ current_action: action } as Run, report)
}
