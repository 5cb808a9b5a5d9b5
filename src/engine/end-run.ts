import type { GitFacts } from './facts.ts'
import { recordGitFacts } from './git-facts.ts'
import { addNotes, observationFailure } from './notes.ts'
import type { Run } from './run.ts'

/** Ends a run with a last look at the worktree. */
export function endRun(run: Run, gitFacts: GitFacts, summarize: (run: Run) => string): Run {
  const seen =
    gitFacts.is === 'observed'
      ? { ...recordGitFacts(run, gitFacts), final_git_observed: true }
      : addNotes(run, 'uncertainties', [observationFailure('when the run ended', gitFacts.problem)])
  const ended: Run = { ...seen, state: 'ended', pause_reason: undefined, current_action: undefined }
  return { ...ended, summary: summarize(ended) }
}
