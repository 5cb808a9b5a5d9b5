import type { Next } from '../../contract/next.shape.ts'
import type { Outcome } from '../../contract/outcome.shape.ts'
import { checkOutcome } from '../../contract/outcome.ts'
import type { OutcomeForm } from '../../contract/outcome-form.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { type Decision, decide, type Facts, type GitFacts, needsGitFacts } from '../decision.ts'
import { invalidOutcome, outcomeConflict, runNotActive, staleAction } from '../faults.ts'
import { nextHint, refuse } from '../next-hint.ts'
import { isWorktreeChanged } from '../state/git-changes.ts'
import { findRecord, pause, type Run, updateCurrent } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { finalSummary } from '../texts/final-summary.ts'
import { addNotes, noteDiscrepancy } from '../texts/notes.ts'
import { findSupersedableAnswer } from './answer.ts'
import { endRun, issueNextAction, pauseUnobserved, recordWork, type WorkFacts } from './issue-action.ts'

/** An outcome whose structure was checked, and the action that the caller named. */
export type Submission = {
  readonly actionId: string
  readonly outcome: OutcomeForm
  /** Digest of the received bytes. */
  readonly payloadSha256: string
}

/** Records the outcome of the current action and decides what follows. */
export function submit(run: Run, submission: Submission, facts: Facts): Decision {
  if (isRepeated(run, submission)) return { is: 'unchanged', run }
  refuseUnlessCurrent(run, submission)
  const outcome = checkFit(run, submission)
  const { now, actionId, gitFacts } = facts
  const issuing = { actionId, next: nextHint(run) }
  const accepted = accept(run, outcome, submission.payloadSha256)
  if (outcome.action_kind === 'review') {
    const draft = issueNextAction({ ...accepted, current_action: undefined, review_pending: false }, BRIEFS, issuing)
    return decide(run, { type: 'outcome_submitted', draft, now })
  }
  if (gitFacts === undefined) return needsGitFacts
  const draft = followUp(accepted, outcome, { gitFacts, issuing })
  return decide(run, { type: 'outcome_submitted', draft, now })
}

/** Submitting the same bytes for the same action again changes nothing, whatever happened since. */
function isRepeated(run: Run, { actionId, payloadSha256 }: Submission): boolean {
  const record = findRecord(run, actionId)
  if (record?.outcome === undefined) return false
  if (record.outcome_payload_sha256 === payloadSha256) return true
  if (record.voided === true) throw staleAction({ ...refuse(run), action_id: actionId })
  throw outcomeConflict({ ...refuse(run), action_id: actionId })
}

function refuseUnlessCurrent(run: Run, { actionId }: Submission): void {
  const refusal = refuse(run)
  if (run.state === 'stopped' || run.state === 'ended') throw runNotActive(refusal)
  const isWithdrawn = findRecord(run, actionId)?.voided === true
  if (run.state === 'paused' && !isWithdrawn) throw runNotActive(refusal)
  if (run.current_action?.action_id !== actionId) throw staleAction({ ...refusal, action_id: actionId })
}

/** Returns the outcome if it obeys all rules and belongs to the current action. */
function checkFit(run: Run, { actionId, outcome: form }: Submission): Outcome {
  const next = nextHint(run)
  if (form.action_id !== actionId) {
    throw invalidOutcome({ next, problem: `its action_id is ${form.action_id}, not ${actionId}` })
  }
  const kind = run.current_action?.kind
  if (form.action_kind !== kind) {
    throw invalidOutcome({ next, problem: `its action_kind is ${form.action_kind}, but the action is ${kind}` })
  }
  const outcome = checkRules(form, next)
  const replaced = outcome.pause?.supersedes_answer_action_id
  if (replaced !== undefined) findSupersedableAnswer(run, replaced)
  return outcome
}

function checkRules(form: OutcomeForm, next: Next): Outcome {
  try {
    return checkOutcome(form)
  } catch (error) {
    throw error instanceof Fault ? invalidOutcome({ next, problem: error.message }, error) : error
  }
}

/** Stores the outcome and its notes. */
function accept(run: Run, outcome: Outcome, payloadSha256: string): Run {
  const { implementation, review } = outcome
  const recorded = updateCurrent(run, { outcome, outcome_payload_sha256: payloadSha256 })
  const noted = addNotes(addNotes(recorded, 'observations', outcome.observations), 'known_issues', outcome.known_issues)
  const doubted = addNotes(noted, 'uncertainties', (implementation ?? review)?.uncertainties ?? [])
  return { ...doubted, activities: [...doubted.activities, ...(implementation?.activities ?? [])] }
}

function followUp(run: Run, outcome: Outcome, { gitFacts, issuing }: WorkFacts): Run {
  if (outcome.status === 'needs_input') return waitFor(run, outcome, gitFacts)
  if (outcome.action_kind === 'summarize') return endRun(run, gitFacts, finalSummary)
  const done = { ...run, current_action: undefined, pending_actions: outcome.suggested_actions }
  if (gitFacts.is === 'unavailable') return pauseUnobserved(done, `after ${outcome.action_kind}`, gitFacts.problem)
  const observed = recordWork(done, gitFacts)
  const { implementation } = outcome
  const noted =
    implementation === null
      ? observed
      : noteDiscrepancy(observed, implementation.result, { isChanged: isWorktreeChanged(observed) })
  return issueNextAction(noted, BRIEFS, issuing)
}

/** The action stays current, because the answer refers to it. */
function waitFor(run: Run, outcome: Outcome & { status: 'needs_input' }, gitFacts: GitFacts): Run {
  return gitFacts.is === 'unavailable'
    ? pauseUnobserved(run, `after ${outcome.action_kind}`, gitFacts.problem)
    : pause(recordWork(run, gitFacts), outcome.pause.reason)
}
