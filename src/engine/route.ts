import { type Issuing, issueAction, type Order, pauseWithoutBudget } from './issue-action.ts'
import { dropSuggestions } from './notes.ts'
import type { Run } from './run.ts'

/** The words for what follows where nothing was suggested. */
export type Follow = { readonly review: string; readonly summarize: string }

/**
 * What comes after an action: a review if something changed that no review has seen, else what was suggested, else the
 * summary. How well the action went, and what was found, plays no part in this: that is for people to judge.
 */
export function route(run: Run, follow: Follow, issuing: Issuing): Run {
  if (run.review_pending) {
    const alone = dropSuggestions(run, 'a review comes first')
    return issueAction(alone, { kind: 'review', words: follow.review }, issuing)
  }
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  return issueAction({ ...run, pending_actions: [] }, nextOrder(run, follow), issuing)
}

function nextOrder({ pending_actions: [suggested] }: Run, { summarize }: Follow): Order {
  return suggested === undefined
    ? { kind: 'summarize', words: summarize }
    : { kind: suggested.kind, words: suggested.brief }
}
