import type { GitFacts } from '../facts.ts'
import { isChanged, isWorktreeChanged } from '../state/git-changes.ts'
import { pause, type Run } from '../state/run.ts'
import { addNotes, noteDifference, noteIncompleteContent, observationFailure } from '../texts/notes.ts'

type Observed = Extract<GitFacts, { is: 'observed' }>

/** Stores an observation and notes what is special about it. */
export function recordGitFacts(run: Run, { git }: Observed): Run {
  const isNew = git.snapshot_hash !== run.current_git.snapshot_hash
  const observed = isNew ? { ...run, current_git: git } : run
  const compared = isWorktreeChanged(observed) ? noteDifference(observed) : observed
  return git.content_observation_complete ? compared : noteIncompleteContent(compared)
}

/**
 * Stores an observation made after work on the files. A review becomes due if the worktree differs from the start of the
 * run in a way that no review has seen yet.
 */
export function recordWork(run: Run, facts: Observed): Run {
  const after = recordGitFacts(run, facts)
  const isUnreviewed = run.review_pending || isReviewUnfinished(run) || isChanged(run.current_git, after.current_git)
  return { ...after, review_pending: run.review_enabled && isUnreviewed && isWorktreeChanged(after) }
}

/** Only a completed review counts: a skipped, failed or inconclusive one leaves the changes unreviewed. */
function isReviewUnfinished({ actions }: Run): boolean {
  const review = actions.findLast(({ action }) => action.kind === 'review')
  return review !== undefined && review.outcome?.status !== 'completed'
}

/** A run whose worktree cannot be observed waits for its environment. */
export function pauseUnobserved(run: Run, when: string, problem: string): Run {
  return pause(addNotes(run, 'known_issues', [observationFailure(when, problem)]), 'environment_unavailable')
}
