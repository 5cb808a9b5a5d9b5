import type { ResumeResult } from '../../contract/resume-result.shape.ts'
import type { Facts } from '../facts.ts'
import { nextHint } from '../next-hint.ts'
import { type Run, withdrawAction } from '../state/run.ts'
import { addNotes, dropSuggestions } from '../texts/notes.ts'
import { budgetOnResume } from './budget.ts'
import { issueAction } from './issue-action.ts'

/** Withdraws the current action and drops suggestions, because a new orientation follows. */
export function interrupt(run: Run): Run {
  return dropSuggestions(withdrawAction(run), 'the run was interrupted')
}

export type Continuation = {
  readonly brief: string
  readonly result: ResumeResult
  /** Noted as an observation, so that programs can tell what happened to the source. */
  readonly token?: string
  readonly budget: number | undefined
  readonly facts: Facts
}

/** Continues a run with an orientation. `before` is the run at the time of the request. */
export function continueRun(before: Run, run: Run, { brief, result, token, budget, facts }: Continuation): Run {
  const noted = token === undefined ? run : addNotes(run, 'observations', [token])
  const ready: Run = {
    ...interrupt(noted),
    remaining_budget: budgetOnResume(run, budget),
    last_resume_result: result,
  }
  const issuing = { actionId: facts.actionId, next: nextHint(before) }
  return issueAction(ready, { kind: 'orient', brief }, issuing)
}
