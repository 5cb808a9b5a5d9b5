import { type Decided, type Decision, decide, type Facts, needsGitFacts } from '../decision.ts'
import { runAlreadyEnded, runNotSkippable, staleAction } from '../faults.ts'
import { nextHint, refuse } from '../next-hint.ts'
import { type ActionKind, type Run, updateCurrent, withdrawAction } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { skippedSummary } from '../texts/final-summary.ts'
import { endRun, type Issuing, issueNextAction, pauseUnobserved, recordWork, type WorkFacts } from './issue-action.ts'

const AFTER_SKIP = { review: BRIEFS.reviewAfterSkip, summarize: BRIEFS.summarizeAfterSkip }

/** Skips the current action. The worktree is still observed, since the action may have changed it. */
export function skip(run: Run, actionId: string, facts: Facts): Decision {
  if (run.state === 'stopped' || run.state === 'ended') throw runNotSkippable(refuse(run))
  const { current_action } = run
  if (current_action?.action_id !== actionId) throw staleAction({ ...refuse(run), action_id: actionId })
  const { kind } = current_action
  const issuing = { actionId: facts.actionId, next: nextHint(run) }
  if (kind === 'review') {
    return decide(run, { type: 'action_skipped', draft: skipReview(run, issuing), now: facts.now })
  }
  if (facts.gitFacts === undefined) return needsGitFacts
  const draft = skipOther(run, kind, { gitFacts: facts.gitFacts, issuing })
  return decide(run, { type: 'action_skipped', draft, now: facts.now })
}

function skipReview(run: Run, issuing: Issuing): Run {
  const review_projection = { result: 'not_run', findings: [], uncertainties: [] } as const
  const skipped = updateCurrent(run, { skipped: true, review_projection })
  const follow = { ...AFTER_SKIP, summarize: BRIEFS.summarizeAfterSkippedReview }
  return issueNextAction({ ...skipped, current_action: undefined, review_pending: false }, follow, issuing)
}

function skipOther(run: Run, kind: ActionKind, { gitFacts, issuing }: WorkFacts): Run {
  const skipped = { ...updateCurrent(run, { skipped: true }), current_action: undefined }
  if (kind === 'summarize') return endRun(skipped, gitFacts, skippedSummary)
  if (gitFacts.is === 'unavailable') return pauseUnobserved(skipped, `after ${kind} was skipped`, gitFacts.problem)
  return issueNextAction(recordWork(skipped, gitFacts), AFTER_SKIP, issuing)
}

/** Stops a run and withdraws its current action. It can be resumed. */
export function stop(run: Run, { now }: { readonly now: string }): Decided {
  if (run.state === 'ended') throw runAlreadyEnded(refuse(run))
  if (run.state === 'stopped') return { is: 'unchanged', run }
  const draft: Run = { ...withdrawAction(run), state: 'stopped', pause_reason: undefined }
  return decide(run, { type: 'run_stopped', draft, now })
}
