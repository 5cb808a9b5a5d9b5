import type { DestructiveRequest } from '../../contract/destructive.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AnswerRecord } from '../../contract/run-record.shape.ts'
import { isDigest } from '../../kit/digest.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { type Decided, decide, type Facts } from '../decision.ts'
import {
  answerConflict,
  answerNotAllowed,
  answerNotExpected,
  answerRequired,
  answerTooLarge,
  destructiveConfirmationFlagRequired,
  destructiveConfirmationNotExpected,
  destructiveScopeMismatch,
  destructiveScopeRequired,
  invalidAnswer,
  invalidDecisionSupersession,
  staleAction,
} from '../faults.ts'
import { type EarlyRefusal, nextHint, noHint, refuse, refuseResume } from '../next-hint.ts'
import { type Answer, digestAnswer } from '../state/answer-digest.ts'
import { currentRecord, pendingRequest, type Run, withdrawAction } from '../state/run.ts'
import { BRIEFS } from '../texts/compose-brief.ts'
import { encodedBytes, isBlank, isMarkdown } from '../texts/text.ts'
import { issueAction, pauseWithoutBudget } from './issue-action.ts'

/** Checks the text alone, so it can run before the run is read. */
export function checkAnswerText(text: string, refusal: EarlyRefusal = {}): void {
  if (!isMarkdown(text)) throw invalidAnswer(refusal)
  const sizeBytes = encodedBytes(text) + 2
  if (sizeBytes > LIMITS.answerBytes) throw answerTooLarge({ ...refusal, sizeBytes, limitBytes: LIMITS.answerBytes })
}

/** Records an answer to the question of the current action and issues the next action. */
export function answer(run: Run, answer: Answer, facts: Facts): Decided {
  checkAnswerText(answer.text, { next: noHint(run.workspace_identity) })
  if (isRepeated(run, answer)) return { is: 'unchanged', run }
  refuseUnexpected(run, answer)
  const request = pendingRequest(run)
  const draft =
    request === undefined
      ? answerQuestion(run, answer, facts)
      : answerDestructiveRequest(run, answer, { request, facts })
  return decide(run, { type: 'answer_recorded', draft, now: facts.now })
}

function isRepeated(run: Run, answer: Answer): boolean {
  const earlier = run.answers.find(({ action_id }) => action_id === answer.actionId)
  if (earlier === undefined) return false
  if (earlier.payload_sha256 === digestAnswer(answer)) return true
  throw answerConflict({ ...refuse(run), action_id: answer.actionId })
}

function refuseUnexpected(run: Run, { actionId }: Answer): void {
  if (run.pause_reason === 'environment_unavailable') throw answerNotAllowed(refuseResume(run))
  if (run.state !== 'paused' || run.pause_reason === 'budget_exhausted') throw answerNotExpected(refuse(run))
  if (run.current_action?.action_id !== actionId) throw staleAction({ ...refuse(run), action_id: actionId })
}

function refuseBlank(run: Run, { text }: Answer): void {
  if (isBlank(text)) throw answerRequired(refuse(run))
}

function answerQuestion(run: Run, answer: Answer, facts: Facts): Run {
  if (answer.confirmDestructive || answer.scopeSha256 !== undefined)
    throw destructiveConfirmationNotExpected(refuse(run))
  refuseBlank(run, answer)
  const replaced = currentRecord(run)?.outcome?.pause?.supersedes_answer_action_id
  const replacing = replaced === undefined ? run : replaceDecision(run, replaced, answer.actionId)
  return recordDecision(replacing, answer, { brief: BRIEFS.decided, facts })
}

function replaceDecision(run: Run, replaced: string, by: string): Run {
  const target = findSupersedableAnswer(run, replaced)
  return supersedeAnswers(run, (each) => each === target, by)
}

type Confirmation = { readonly request: DestructiveRequest; readonly facts: Facts }

function answerDestructiveRequest(run: Run, answer: Answer, { request, facts }: Confirmation): Run {
  if (answer.confirmDestructive) return confirm(run, answer, { request, facts })
  if (answer.scopeSha256 !== undefined) throw destructiveConfirmationFlagRequired(refuse(run))
  refuseBlank(run, answer)
  // Without the confirmation flag no text authorizes anything, not even "yes".
  return recordDecision(run, answer, { brief: BRIEFS.declined, facts })
}

/** Records the answer as a decision and issues a new orientation. */
function recordDecision(run: Run, answer: Answer, { brief, facts }: { brief: string; facts: Facts }): Run {
  const recorded = addAnswer(withdrawAction(run), answer, { isDecision: true, now: facts.now })
  const issuing = { actionId: facts.actionId, next: nextHint(run) }
  return issueAction(recorded, { kind: 'orient', brief }, issuing)
}

function confirm(run: Run, answer: Answer, { request, facts }: Confirmation): Run {
  const { actionId, scopeSha256 } = answer
  if (scopeSha256 === undefined || !isDigest(scopeSha256)) throw destructiveScopeRequired(refuse(run))
  if (scopeSha256 !== request.scope_sha256) {
    throw destructiveScopeMismatch({ ...refuse(run), given: scopeSha256, asked: request.scope_sha256 })
  }
  const recorded = addAnswer(run, answer, { isDecision: false, now: facts.now })
  // A confirmation is not carried over: without budget for the action, it must be requested again.
  if (run.remaining_budget < 1) return pauseWithoutBudget(withdrawAction(recorded))
  const authorization = {
    ...request,
    originating_action_id: actionId,
    scope_version: 1,
    confirmed_at: facts.now,
  } as const
  const issuing = { actionId: facts.actionId, next: nextHint(run) }
  return issueAction(recorded, { kind: 'implement', brief: BRIEFS.confirmed, authorization }, issuing)
}

function addAnswer(run: Run, answer: Answer, { isDecision, now }: { isDecision: boolean; now: string }): Run {
  const record: AnswerRecord = withoutUndefined({
    action_id: answer.actionId,
    text: answer.text,
    confirm_destructive: answer.confirmDestructive,
    scope_sha256: answer.scopeSha256,
    payload_sha256: digestAnswer(answer),
    active: isDecision,
    source_revision: run.pinned_source?.source_revision,
    requirements_revision: run.pinned_source?.requirements_revision,
    at: now,
  })
  return { ...run, answers: [...run.answers, record] }
}

/** The active decision for an action; throws if a new answer may not supersede it. */
export function findSupersedableAnswer(run: Run, actionId: string): AnswerRecord {
  const requirements = run.pinned_source?.requirements_revision
  const answer = run.answers.find(({ action_id }) => action_id === actionId)
  // A confirmation is never active, so it cannot be superseded.
  if (answer?.active !== true || answer.requirements_revision !== requirements) {
    throw invalidDecisionSupersession({ ...refuse(run), action_id: actionId })
  }
  return answer
}

/** Deactivates the matching answers. */
export function supersedeAnswers(run: Run, matches: (answer: AnswerRecord) => boolean, by: string): Run {
  const answers = run.answers.map((answer) =>
    matches(answer) ? { ...answer, active: false, superseded_by: by } : answer,
  )
  return { ...run, answers }
}
