import type { DestructiveRequest } from '../contract/destructive.shape.ts'
import type { AnswerRecord } from '../contract/run-record.shape.ts'
import { isDigest } from '../kit/digest.ts'
import { type Answer, checkAnswerText, digestAnswer } from './answer-text.ts'
import { BRIEFS } from './briefs.ts'
import { type Decided, decide } from './decision.ts'
import { pendingRequest } from './destructive.ts'
import type { Facts } from './facts.ts'
import {
  answerConflict,
  answerNotAllowed,
  answerNotExpected,
  answerRequired,
  destructiveConfirmationFlagRequired,
  destructiveConfirmationNotExpected,
  destructiveScopeMismatch,
  destructiveScopeRequired,
  staleAction,
} from './faults.ts'
import { issueAction, pauseWithoutBudget } from './issue-action.ts'
import { nextHint, noHint } from './next-hint.ts'
import { refuse, refuseResume } from './refusal.ts'
import { currentRecord, type Run, withdrawAction } from './run.ts'
import { findSupersedable, supersede } from './supersede.ts'
import { isBlank } from './text.ts'
import { withoutUndefined } from './without-undefined.ts'

/** What a person answered to the question of the current action, and what follows from it. */
export function answer(run: Run, given: Answer, facts: Facts): Decided {
  checkAnswerText(given.text, { next: noHint(run.workspace_identity) })
  if (isRepeated(run, given)) return { is: 'unchanged', run }
  refuseUnexpected(run, given)
  const request = pendingRequest(run)
  const draft =
    request === undefined ? decideQuestion(run, given, facts) : answerRequest(run, given, { request, facts })
  return decide(run, { type: 'answer_recorded', draft, now: facts.now })
}

/** An action is answered once. */
function isRepeated(run: Run, given: Answer): boolean {
  const earlier = run.answers.find(({ action_id }) => action_id === given.actionId)
  if (earlier === undefined) return false
  if (earlier.payload_sha256 === digestAnswer(given)) return true
  throw answerConflict({ ...refuse(run), action_id: given.actionId })
}

function refuseUnexpected(run: Run, { actionId }: Answer): void {
  if (run.pause_reason === 'environment_unavailable') throw answerNotAllowed(refuseResume(run))
  if (run.state !== 'paused' || run.pause_reason === 'budget_exhausted') throw answerNotExpected(refuse(run))
  if (run.current_action?.action_id !== actionId) throw staleAction({ ...refuse(run), action_id: actionId })
}

function refuseBlank(run: Run, { text }: Answer): void {
  if (isBlank(text)) throw answerRequired(refuse(run))
}

function decideQuestion(run: Run, given: Answer, facts: Facts): Run {
  if (given.confirmDestructive || given.scopeSha256 !== undefined) throw destructiveConfirmationNotExpected(refuse(run))
  refuseBlank(run, given)
  const replaced = currentRecord(run)?.outcome?.pause?.supersedes_answer_action_id
  const replacing = replaced === undefined ? run : replaceDecision(run, replaced, given.actionId)
  return takeUp(replacing, given, { words: BRIEFS.decided, facts })
}

function replaceDecision(run: Run, replaced: string, by: string): Run {
  const target = findSupersedable(run, replaced)
  return supersede(run, (each) => each === target, by)
}

type Requested = { readonly request: DestructiveRequest; readonly facts: Facts }

function answerRequest(run: Run, given: Answer, { request, facts }: Requested): Run {
  if (given.confirmDestructive) return confirm(run, given, { request, facts })
  if (given.scopeSha256 !== undefined) throw destructiveConfirmationFlagRequired(refuse(run))
  refuseBlank(run, given)
  // Words never allow anything, whatever they say.
  return takeUp(run, given, { words: BRIEFS.declined, facts })
}

/** Keeps what was said as a decision, and has the ground looked over again in its light. */
function takeUp(run: Run, given: Answer, { words, facts }: { words: string; facts: Facts }): Run {
  const kept = keep(withdrawAction(run), given, { isDecision: true, now: facts.now })
  const issuing = { actionId: facts.actionId, next: nextHint(run) }
  return issueAction(kept, { kind: 'orient', words }, issuing)
}

function confirm(run: Run, given: Answer, { request, facts }: Requested): Run {
  const { actionId, scopeSha256 } = given
  if (scopeSha256 === undefined || !isDigest(scopeSha256)) throw destructiveScopeRequired(refuse(run))
  if (scopeSha256 !== request.scope_sha256) {
    throw destructiveScopeMismatch({ ...refuse(run), given: scopeSha256, asked: request.scope_sha256 })
  }
  const kept = keep(run, given, { isDecision: false, now: facts.now })
  // What was allowed is not put off: without a budget to do it now, it has to be asked for again.
  if (run.remaining_budget < 1) return pauseWithoutBudget(withdrawAction(kept))
  const authorization = {
    ...request,
    originating_action_id: actionId,
    scope_version: 1,
    confirmed_at: facts.now,
  } as const
  const issuing = { actionId: facts.actionId, next: nextHint(run) }
  return issueAction(kept, { kind: 'implement', words: BRIEFS.confirmed, authorization }, issuing)
}

function keep(run: Run, given: Answer, { isDecision, now }: { isDecision: boolean; now: string }): Run {
  const record: AnswerRecord = withoutUndefined({
    action_id: given.actionId,
    text: given.text,
    confirm_destructive: given.confirmDestructive,
    scope_sha256: given.scopeSha256,
    payload_sha256: digestAnswer(given),
    active: isDecision,
    source_revision: run.pinned_source?.source_revision,
    requirements_revision: run.pinned_source?.requirements_revision,
    at: now,
  })
  return { ...run, answers: [...run.answers, record] }
}
