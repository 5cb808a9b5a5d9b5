import type { Outcome } from '../contract/outcome.shape.ts'
import { BRIEFS } from './briefs.ts'
import { type Decision, decide, needsGitFacts } from './decision.ts'
import { endRun } from './end-run.ts'
import type { Facts, GitFacts } from './facts.ts'
import { invalidOutcome, outcomeConflict, runNotActive, staleAction } from './faults.ts'
import { finalSummary } from './final-summary.ts'
import { isWorktreeChanged, pauseUnobserved, recordWork } from './git-facts.ts'
import type { Issuing } from './issue-action.ts'
import { nextHint } from './next-hint.ts'
import { addNotes, noteDiscrepancy } from './notes.ts'
import { refuse } from './refusal.ts'
import { route } from './route.ts'
import { findRecord, pause, type Run, updateCurrent } from './run.ts'
import { findSupersedable } from './supersede.ts'

/** An outcome that fits the contract, for the action that the caller names. */
export type Submission = {
  readonly actionId: string
  readonly outcome: Outcome
  /** Of the bytes that were received. */
  readonly payloadSha256: string
}

/** The outcome of the current action, and what follows from it. */
export function submit(run: Run, submission: Submission, facts: Facts): Decision {
  if (isRepeated(run, submission)) return { is: 'unchanged', run }
  refuseUnfit(run, submission)
  const { outcome } = submission
  const { now, actionId, gitFacts } = facts
  const issuing = { actionId, next: nextHint(run) }
  const accepted = accept(run, submission)
  if (outcome.action_kind === 'review') {
    const draft = afterReview(accepted, issuing)
    return decide(run, { type: 'outcome_submitted', draft, now })
  }
  if (gitFacts === undefined) return needsGitFacts
  const draft = followUp(accepted, outcome, { gitFacts, issuing })
  return decide(run, { type: 'outcome_submitted', draft, now })
}

/** The same bytes for the same action count once, whatever became of the run since. */
function isRepeated(run: Run, { actionId, payloadSha256 }: Submission): boolean {
  const record = findRecord(run, actionId)
  if (record?.outcome === undefined) return false
  if (record.outcome_payload_sha256 === payloadSha256) return true
  if (record.voided === true) throw staleAction({ ...refuse(run), action_id: actionId })
  throw outcomeConflict({ ...refuse(run), action_id: actionId })
}

function refuseUnfit(run: Run, { actionId, outcome }: Submission): void {
  const refusal = refuse(run)
  if (run.state === 'stopped' || run.state === 'ended') throw runNotActive(refusal)
  const isWithdrawn = findRecord(run, actionId)?.voided === true
  if (run.state === 'paused' && !isWithdrawn) throw runNotActive(refusal)
  if (run.current_action?.action_id !== actionId) throw staleAction({ ...refusal, action_id: actionId })
  const { next } = refusal
  if (outcome.action_id !== actionId) {
    throw invalidOutcome({ next, problem: `it names the action ${outcome.action_id}, not ${actionId}` })
  }
  const { kind } = run.current_action
  if (outcome.action_kind !== kind) {
    throw invalidOutcome({ next, problem: `it says ${outcome.action_kind}, the action is ${kind}` })
  }
  const replaced = outcome.pause?.supersedes_answer_action_id
  if (replaced !== undefined) findSupersedable(run, replaced)
}

/** Keeps the outcome and what it reports. */
function accept(run: Run, { outcome, payloadSha256 }: Submission): Run {
  const { implementation, review } = outcome
  const kept = updateCurrent(run, { outcome, outcome_payload_sha256: payloadSha256 })
  const noted = addNotes(addNotes(kept, 'observations', outcome.observations), 'known_issues', outcome.known_issues)
  const doubted = addNotes(noted, 'uncertainties', (implementation ?? review)?.uncertainties ?? [])
  return { ...doubted, activities: [...doubted.activities, ...(implementation?.activities ?? [])] }
}

type Following = { readonly gitFacts: GitFacts; readonly issuing: Issuing }

function followUp(run: Run, outcome: Outcome, { gitFacts, issuing }: Following): Run {
  if (outcome.status === 'needs_input') return waitFor(run, outcome, gitFacts)
  if (outcome.action_kind === 'summarize') return endRun(run, gitFacts, finalSummary)
  const done = { ...run, current_action: undefined, pending_actions: outcome.suggested_actions }
  if (gitFacts.is === 'unavailable') return pauseUnobserved(done, `after ${outcome.action_kind}`, gitFacts.problem)
  const seen = recordWork(done, gitFacts)
  const { implementation } = outcome
  const noted =
    implementation === null
      ? seen
      : noteDiscrepancy(seen, implementation.result, { isChanged: isWorktreeChanged(seen) })
  return route(noted, BRIEFS, issuing)
}

function afterReview(run: Run, issuing: Issuing): Run {
  return route({ ...run, current_action: undefined, review_pending: false }, BRIEFS, issuing)
}

/** The action stays: it is what the answer will be about. */
function waitFor(run: Run, outcome: Outcome & { status: 'needs_input' }, gitFacts: GitFacts): Run {
  return gitFacts.is === 'unavailable'
    ? pauseUnobserved(run, `after ${outcome.action_kind}`, gitFacts.problem)
    : pause(recordWork(run, gitFacts), outcome.pause.reason)
}
