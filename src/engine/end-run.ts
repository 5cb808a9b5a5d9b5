import type { Sighting } from './facts.ts'
import { addNotes, unseenWorktree } from './notes.ts'
import type { Run } from './run.ts'
import { takeIn } from './sighting.ts'

/** Ends a run with a last look at the worktree. */
export function endRun(run: Run, sighting: Sighting, summarize: (run: Run) => string): Run {
  const seen =
    sighting.is === 'seen'
      ? { ...takeIn(run, sighting), final_git_observed: true }
      : addNotes(run, 'uncertainties', [unseenWorktree('when the run ended', sighting.problem)])
  const ended: Run = { ...seen, state: 'ended', pause_reason: undefined, current_action: undefined }
  return { ...ended, summary: summarize(ended) }
}
