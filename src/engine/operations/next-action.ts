import type { GitFacts } from '../facts.ts'
import type { Run } from '../state/run.ts'
import { addNotes, dropSuggestions, observationFailure } from '../texts/notes.ts'
import { recordGitFacts } from './git-facts.ts'
import { type Issuing, issueAction, type Order, pauseWithoutBudget } from './issue-action.ts'

/** The briefs for a review and a summary. A suggested action brings its own brief. */
export type FollowUpBriefs = { readonly review: string; readonly summarize: string }

/**
 * Issues the action that follows a finished or skipped one: a review if there are changes that no review has seen, else the
 * suggested action, else the summary. The status and the findings of the finished action play no part: people judge those.
 */
export function issueNextAction(run: Run, briefs: FollowUpBriefs, issuing: Issuing): Run {
  if (run.review_pending) {
    const withoutSuggestions = dropSuggestions(run, 'a review comes first')
    return issueAction(withoutSuggestions, { kind: 'review', brief: briefs.review }, issuing)
  }
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  return issueAction({ ...run, pending_actions: [] }, nextOrder(run, briefs), issuing)
}

function nextOrder({ pending_actions: [suggested] }: Run, { summarize }: FollowUpBriefs): Order {
  return suggested ?? { kind: 'summarize', brief: summarize }
}

/** Ends a run, with what git says of the worktree at that moment. */
export function endRun(run: Run, gitFacts: GitFacts, summarize: (run: Run) => string): Run {
  const observed =
    gitFacts.is === 'observed'
      ? { ...recordGitFacts(run, gitFacts), final_git_observed: true }
      : addNotes(run, 'uncertainties', [observationFailure('when the run ended', gitFacts.problem)])
  const ended: Run = { ...observed, state: 'ended', pause_reason: undefined, current_action: undefined }
  return { ...ended, summary: summarize(ended) }
}
