import type { GitFacts } from './facts.ts'
import { addNotes, noteDifference, noteIncompleteContent, observationFailure } from './notes.ts'
import { isChanged } from './observation-changed.ts'
import { pause, type Run } from './run.ts'

type Observed = Extract<GitFacts, { is: 'observed' }>

/** Whether the worktree was changed since the run began, as far as it was seen. */
export function isWorktreeChanged(run: Run): boolean {
  return isChanged(run.initial_git, run.current_git)
}

/** Takes in what git says now. */
export function recordGitFacts(run: Run, { git }: Observed): Run {
  const isNew = git.snapshot_hash !== run.current_git.snapshot_hash
  const seen = isNew ? { ...run, current_git: git } : run
  const compared = isWorktreeChanged(seen) ? noteDifference(seen) : seen
  return git.content_observation_complete ? compared : noteIncompleteContent(compared)
}

/**
 * Takes in what git says after work that may have changed something. A review is due for every difference from the
 * beginning that no review has seen; one that was reviewed and left alone is not reviewed again.
 */
export function recordWork(run: Run, seen: Observed): Run {
  const after = recordGitFacts(run, seen)
  const isUnreviewed = run.review_pending || isChanged(run.current_git, after.current_git)
  return { ...after, review_pending: run.review_enabled && isUnreviewed && isWorktreeChanged(after) }
}

/** A run whose worktree cannot be looked at does not go on by itself. */
export function pauseUnobserved(run: Run, when: string, problem: string): Run {
  return pause(addNotes(run, 'known_issues', [observationFailure(when, problem)]), 'environment_unavailable')
}
