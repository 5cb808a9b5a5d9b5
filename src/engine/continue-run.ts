import type { ResumeResult } from '../contract/resume-result.shape.ts'
import { budgetOnResume } from './budget.ts'
import type { Facts } from './facts.ts'
import { issueAction } from './issue-action.ts'
import { nextHint } from './next-hint.ts'
import { addNotes, dropSuggestions } from './notes.ts'
import { type Run, withdrawAction } from './run.ts'

/** Takes back what the run was about to do: what follows begins by looking at the ground again. */
export function interrupt(run: Run): Run {
  return dropSuggestions(withdrawAction(run), 'the run was interrupted')
}

export type Continuation = {
  readonly words: string
  readonly result: ResumeResult
  /** What happened to the source, as a word for programs. */
  readonly token?: string
  readonly budget: number | undefined
  readonly facts: Facts
}

/** Lets a run go on with an orientation, in these words. `before` is the run as it was when it was asked to. */
export function continueRun(before: Run, run: Run, { words, result, token, budget, facts }: Continuation): Run {
  const noted = token === undefined ? run : addNotes(run, 'observations', [token])
  const ready: Run = {
    ...interrupt(noted),
    remaining_budget: budgetOnResume(run, budget),
    last_resume_result: result,
  }
  const issuing = { actionId: facts.actionId, next: nextHint(before) }
  return issueAction(ready, { kind: 'orient', words }, issuing)
}
