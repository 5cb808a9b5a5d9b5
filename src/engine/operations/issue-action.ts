import type { Action } from '../../contract/action.shape.ts'
import { actionBytes, checkAction } from '../../contract/action.ts'
import type { DestructiveAuthorization } from '../../contract/destructive.shape.ts'
import { CONTRACT_VERSION, LIMITS } from '../../contract/limits.ts'
import type { Next } from '../../contract/next.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { withoutUndefined } from '../../kit/without-undefined.ts'
import { actionTooLarge, invalidAction } from '../faults.ts'
import { toActionRequirements, toActionSource } from '../state/action-requirements.ts'
import { type ActionKind, issue, pause, type Run } from '../state/run.ts'
import { composeBrief } from '../texts/compose-brief.ts'
import { composeContext } from '../texts/compose-context.ts'
import { dropSuggestions } from '../texts/notes.ts'

/** The action to issue. */
export type Order = {
  readonly kind: ActionKind
  readonly brief: string
  readonly authorization?: DestructiveAuthorization
}

/** The id of the new action, and the `next` to report if it cannot be issued. */
export type Issuing = { readonly actionId: string; readonly next: Next }

/** Issues an action, or pauses the run if its budget is spent. */
export function issueAction(run: Run, order: Order, { actionId, next }: Issuing): Run {
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  const action = composeAction(run, order, { actionId, next })
  const { remaining_budget } = action
  return { ...issue(run, action), state: 'active', pause_reason: undefined, remaining_budget }
}

export function pauseWithoutBudget(run: Run): Run {
  const emptied = dropSuggestions(run, 'the budget is spent')
  return pause({ ...emptied, current_action: undefined }, 'budget_exhausted')
}

function composeAction(run: Run, { kind, brief, authorization }: Order, { actionId, next }: Issuing): Action {
  const source = run.pinned_source
  const frame = withoutUndefined({
    contract_version: CONTRACT_VERSION,
    run_id: run.id,
    action_id: actionId,
    kind,
    goal: run.goal,
    brief: composeBrief(run, kind, brief),
    context: '',
    source: source && toActionSource(source),
    requirements: source && toActionRequirements(run, source, actionId),
    destructive_authorization: authorization,
    remaining_budget: run.remaining_budget - 1,
  }) as Action
  const frameBytes = actionBytes(frame)
  const context = composeContext(run, LIMITS.actionBytes - frameBytes)
  if (context === undefined) throw actionTooLarge({ next, sizeBytes: frameBytes, limitBytes: LIMITS.actionBytes })
  try {
    return checkAction({ ...frame, context })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalidAction({ next, problem: error.message }, error)
  }
}
