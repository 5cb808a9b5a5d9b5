/**
 * What a driver does next. Every step is recorded, and the next one follows from the records alone: a driver that was killed
 * continues where the last record says. Pure.
 */
import type { Action } from '../../contract/action.shape.ts'
import type { Outcome } from '../../contract/outcome.shape.ts'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import { describeClaim, type FollowUp } from '../prompt/follow-ups.ts'
import { type ReportedOutcome, readOutcomeText } from '../prompt/read-reported-outcome.ts'
import type { DrivePause, Purpose } from '../record/drive-event.shape.ts'
import { type Attempt, attemptsAt, type CheckRun, type DriveState } from '../record/drive-state.ts'
import { afterLimit, choiceOf, isFallback, isLimit, type LimitStep } from './after-limit.ts'
import { type BeforeWork, beforeWork } from './before-work.ts'
import { compareEnds, failsAlike, hasChangedFiles, hasWork, nextCheck } from './check-results.ts'
import { askOutcome, completeOutcome, errorOutcome } from './final-outcome.ts'
import {
  COST_UNKNOWN,
  limitsCosts,
  reachedCap,
  reachedTotal,
  spentBy,
  type Totals,
  unpricedAttempt,
} from './spending.ts'

export type DriveStep =
  | BeforeWork
  | LimitStep
  /** Start an agent. Without a follow-up it gets the prompt of the action. */
  | { readonly do: 'attempt'; readonly action: Action; readonly purpose: Purpose; readonly followUp?: FollowUp }
  /** Record that the end of an attempt is unknown. */
  | { readonly do: 'note_unknown_end'; readonly attempt: Attempt }
  /** `reported`: the files that the agent reports as its work. */
  | {
      readonly do: 'check'
      readonly attempt: Attempt
      readonly command: string
      readonly reported: readonly string[]
    }
  | { readonly do: 'compare'; readonly attempt: Attempt; readonly outcome: Outcome }
  | { readonly do: 'submit'; readonly outcome: Outcome; readonly by: 'agent' | 'drover'; readonly attempt: Attempt }
  /** Stop driving. The run itself does not change. */
  | { readonly do: 'pause'; readonly reason: DrivePause; readonly message: string }
  /** The run waits for a person, or was stopped by one. */
  | { readonly do: 'wait' }
  /** The run has ended. */
  | { readonly do: 'finish' }

/** How often an agent is told that its outcome is not valid. */
const MAX_OUTCOME_PROBLEMS = 2
/** How often a driver may be killed during attempts at an action, one after the other. */
const MAX_UNKNOWN_ENDS = 3
/** How often it is told of a contradiction and of a stall, and of failures in a row. */
const MAX_TOLD = 1

/** The code of an agent that no longer has the session to resume. */
const SESSION_LOST = 'session_expired'

type Facts = { readonly state: DriveState; readonly action: Action; readonly attempts: readonly Attempt[] }

/** `totals`: of the runs that were queued together. */
export function nextStep(state: DriveState, run: ProtocolState, totals?: Totals): DriveStep {
  if (run.state === 'ended') return { do: 'finish' }
  if (run.state !== 'active') return { do: 'wait' }
  const first = beforeWork(state)
  if (first !== undefined) return first
  if (state.waiting !== undefined) return { do: 'wait_for_limit', ...state.waiting }
  const { action } = run
  const facts = { state, action, attempts: attemptsAt(state, action.action_id) }
  const last = facts.attempts.at(-1)
  const step = last === undefined ? start(facts) : afterAttempt(facts, last)
  return step.do === 'attempt' ? withinCaps(state, step, totals) : step
}

/** A cap is checked before an agent starts: work that is paid for is still checked and submitted. */
function withinCaps(state: DriveState, step: DriveStep, totals: Totals | undefined): DriveStep {
  const reason = reachedCap(spentBy(state), state.options) ?? reachedTotal(totals)
  if (reason !== undefined) return { do: 'pause', reason, message: CAP_MESSAGES[reason] ?? reason }
  const unpriced = limitsCosts(state.options, totals) ? unpricedAttempt(state) : undefined
  return unpriced === undefined ? step : { do: 'pause', reason: COST_UNKNOWN, message: describeUnpriced(unpriced) }
}

function describeUnpriced({ attempt, backend, model: asked, ended }: Attempt): string {
  const model = ended?.model ?? asked
  const named = model === undefined ? backend : `${backend} (${model})`
  const price = model === undefined ? 'use another agent' : `add a price for ${model} to the setting prices`
  return `what ${named} has cost in attempt ${attempt} is not known, so the limit of costs cannot be kept; a higher --max-cost continues without counting that attempt; for later ones, ${price}`
}

const CAP_MESSAGES: Partial<Record<DrivePause, string>> = {
  max_tokens: 'the limit of tokens is reached; continue with a higher --max-tokens (in a program: max_tokens)',
  max_cost: 'the limit of costs is reached; continue with a higher --max-cost (in a program: max_cost_usd)',
  max_time: 'the limit of time is reached; continue with a higher --max-time (in a program: max_time_secs)',
  total_tokens: 'the limit of tokens of all these runs is reached; continue with a higher --total-tokens',
  total_cost: 'the limit of costs of all these runs is reached; continue with a higher --total-cost',
}

function start({ action }: Facts): DriveStep {
  return { do: 'attempt', action, purpose: 'action' }
}

function again({ action }: Facts, followUp: FollowUp): DriveStep {
  return { do: 'attempt', action, purpose: followUp.why, followUp }
}

function afterAttempt(facts: Facts, last: Attempt): DriveStep {
  const { ended } = last
  if (ended === undefined) return { do: 'note_unknown_end', attempt: last }
  switch (ended.how) {
    case 'unknown':
      return afterUnknownEnd(facts, last)
    case 'failed':
      return afterFailure(facts, last, ended.error ?? 'it does not say why')
    case 'cancelled':
      return afterCancel(facts, last)
    case 'budget':
      if (ended.error_code === COST_UNKNOWN && !isOfEarlierDriver(facts, last))
        return { do: 'pause', reason: COST_UNKNOWN, message: ended.error ?? '' }
      // If no cap is reached any more, the agent continues where it was ended.
      return again(facts, { why: 'after_unknown_end', changed: [] })
    case 'stalled':
      return afterStall(facts, last, ended.error ?? 'it made no progress')
    case 'answered':
      return afterAnswer(facts, last)
  }
}

/** Whether a driver that came later may try again what stopped the one before. */
function isOfEarlierDriver({ state }: Facts, { attempt }: Attempt): boolean {
  return attempt <= state.attempts_before
}

/** What kills every driver, such as a lack of memory, must not cost another attempt each time. */
function afterUnknownEnd({ state, ...facts }: Facts, { action_kind: kind }: Attempt): DriveStep {
  const since = facts.attempts.filter(({ attempt }) => attempt > state.attempts_at_pause)
  const times = since.length - 1 - since.findLastIndex(({ ended }) => ended?.how !== 'unknown')
  if (times < MAX_UNKNOWN_ENDS) return again({ state, ...facts }, { why: 'after_unknown_end', changed: [] })
  const message = `the driver was killed ${times} times in a row during ${kind}; look for the cause, then continue`
  return { do: 'pause', reason: 'killed', message }
}

function afterFailure(facts: Facts, last: Attempt, error: string): DriveStep {
  const { state } = facts
  // It is done in a new session, because the old one is known to be lost.
  if (isSessionLost(last) && !isSessionLost(facts.attempts.at(-2))) return stepWithout(facts, 1)
  const isOther = (each: Attempt) =>
    each.ended?.how !== 'failed' || each.backend !== last.backend || isOfEarlierDriver(facts, each)
  const counted = facts.attempts.filter((each) => each === last || !isSessionLost(each))
  const wasTriedAgain = counted.length - 1 - counted.findLastIndex(isOther) > MAX_TOLD
  // Another agent may do better than one that was only to help out.
  const isGivenUp = wasTriedAgain && choiceOf(state) === 'next' && isFallback(last, state)
  if (isGivenUp || isLimit(last.ended?.error_code, { wasTriedAgain }))
    return afterLimit(state, last, facts.attempts) ?? continueAfterLimit(facts, last, error)
  if (!wasTriedAgain) return again(facts, { why: 'after_failure', error })
  return { do: 'pause', reason: 'agent_failed', message: `${last.backend} failed: ${error}` }
}

/** What was wanted of the attempts that reached limits is wanted of the next one. */
function continueAfterLimit(facts: Facts, last: Attempt, error: string): DriveStep {
  const failed = facts.attempts.length - 1 - facts.attempts.findLastIndex(({ ended }) => ended?.how !== 'failed')
  const before = stepWithout(facts, failed)
  const wanted = before.do === 'attempt' ? before.followUp : undefined
  const after = { error, ...(wanted !== undefined && { wanted }) }
  return last.handed_to === undefined
    ? again(facts, { why: 'after_limit', ...after })
    : again(facts, { why: 'hand_over', from: last.backend, ...after })
}

/** The agent was ended before it had saved its session, or has deleted it. It got no prompt. */
function isSessionLost(attempt: Attempt | undefined): boolean {
  return attempt?.ended?.error_code === SESSION_LOST
}

/** The step that led to the last attempts. */
function stepWithout({ attempts, ...facts }: Facts, count: number): DriveStep {
  const earlier = attempts.slice(0, -count)
  const last = earlier.at(-1)
  return last === undefined
    ? start({ ...facts, attempts: earlier })
    : afterAttempt({ ...facts, attempts: earlier }, last)
}

function afterCancel(facts: Facts, last: Attempt): DriveStep {
  if (isOfEarlierDriver(facts, last)) return again(facts, { why: 'after_unknown_end', changed: [] })
  return { do: 'pause', reason: 'cancelled', message: `the attempt at ${last.action_kind} was canceled` }
}

function afterStall(facts: Facts, last: Attempt, reason: string): DriveStep {
  const stalled = facts.attempts.filter(({ ended }) => ended?.how === 'stalled')
  if (stalled.length <= MAX_TOLD) return again(facts, { why: 'stalled', reason })
  const summary = `drover ended ${last.backend} twice, because ${reason}.`
  const question = `${last.backend} makes no progress with this action: ${reason}. What should it do?`
  return { do: 'submit', outcome: askOutcome(facts.action, { summary, question }), by: 'drover', attempt: last }
}

function afterAnswer(facts: Facts, last: Attempt): DriveStep {
  const { action } = facts
  const reported = reportedBy(last, action)
  if ('problem' in reported) return afterProblem(facts, last, reported.problem)
  if (action.kind === 'review' && hasChangedFiles(last)) return afterWritingReview(facts, last)
  const { outcome } = reported
  if (outcome.implementation === null || outcome.implementation === undefined) return submit(outcome, last)
  return checkWork(facts, last, { outcome, by: 'agent' })
}

function reportedBy({ ended, rejected }: Attempt, action: Action): ReportedOutcome {
  if (rejected !== undefined) return { problem: rejected }
  if (ended?.outcome === undefined) return { problem: ended?.problem ?? 'there is none' }
  return readOutcomeText(ended.outcome, action)
}

type Writer = Extract<DriveStep, { do: 'submit' }>['by']

function submit(outcome: Outcome, attempt: Attempt, by: Writer = 'agent'): DriveStep {
  return { do: 'submit', outcome, by, attempt }
}

function afterProblem(facts: Facts, last: Attempt, problem: string): DriveStep {
  const told = facts.attempts.length - 1 - facts.attempts.findLastIndex(({ purpose }) => purpose !== 'outcome_problem')
  if (told < MAX_OUTCOME_PROBLEMS) return again(facts, { why: 'outcome_problem', problem })
  const said = last.ended?.said === undefined ? [] : [`It said: ${last.ended.said}`]
  const outcome = errorOutcome(facts.action, `${last.backend} reported no valid outcome: ${problem}.`, said)
  // What the agent has changed is checked and compared even if it reports nothing.
  return facts.action.kind === 'implement'
    ? checkWork(facts, last, { outcome, by: 'drover' })
    : submit(outcome, last, 'drover')
}

/** A review must leave the worktree as it is. */
function afterWritingReview(facts: Facts, last: Attempt): DriveStep {
  if (isOfEarlierDriver(facts, last)) return start(facts)
  const message = `the review by ${last.backend} changed files, so it does not count; look at the worktree, then continue for another review`
  return { do: 'pause', reason: 'review_changed_files', message }
}

/** What a person can do if the answer is not for the agent. */
function otherWays(runId: string): string {
  const correct = `If a check is wrong, correct it and answer then: \`drover drive ${runId} --check "COMMAND"\`.`
  return `${correct} \`drover stop ${runId}\` ends the work here, and \`drover discard ${runId}\` removes it.`
}

/** Runs the checks, compares the claims, and submits the outcome if both allow it. */
function checkWork(facts: Facts, last: Attempt, { outcome, by }: { outcome: Outcome; by: Writer }): DriveStep {
  const { state, attempts } = facts
  const isDone = outcome.status !== 'error'
  const command = nextCheck(state.options.checks, last.checks)
  const reported = outcome.implementation?.files_changed ?? []
  if ((isDone || hasWork(state)) && command !== undefined) return { do: 'check', attempt: last, command, reported }
  const isCurrent = (check: CheckRun) => state.options.checks.includes(check.command)
  const failed = last.checks.filter((each) => !each.passed && isCurrent(each))
  const told = attempts.filter(({ purpose }) => purpose === 'failed_check').length
  // A later round is told what still fails. That an attempt there changed nothing about it makes another one unlikely to help.
  const isStuck = state.round > (state.first_round ?? 1) && failsAlike(attempts)
  if (isDone && failed.length > 0 && told < state.options.attempts && !isStuck)
    return again(facts, { why: 'failed_check', checks: failed })
  if (last.evidence === undefined) return { do: 'compare', attempt: last, outcome }
  const claims = last.evidence.claims.filter(({ verdict }) => verdict === 'contradicted')
  if (claims.length === 0) {
    const judged = attempts.map((each) => ({ ...each, checks: each.checks.filter(isCurrent) }))
    return submit(completeOutcome(outcome, judged), last, by)
  }
  const wasTold = attempts.filter(({ purpose }) => purpose === 'contradiction').length >= MAX_TOLD
  if (!wasTold) return again(facts, { why: 'contradiction', claims })
  const sides = claims.map(describeClaim).join('\n')
  const summary = `The outcome that ${last.backend} reports is contradicted by what drover observed.`
  const stillFail = failed.map((each) => `- \`${each.command}\` ${compareEnds(each, state.baseline)}`)
  const question = [
    `What ${last.backend} reports contradicts what drover saw in this run, also after drover told it so:`,
    sides,
    ...(stillFail.length === 0 ? [] : [`These checks fail:\n\n${stillFail.join('\n')}`]),
    `Its summary: ${outcome.summary}`,
    'How should the run continue?',
    ...(stillFail.length === 0 ? [] : [otherWays(state.run_id)]),
  ].join('\n\n')
  return { do: 'submit', outcome: askOutcome(facts.action, { summary, question }), by: 'drover', attempt: last }
}
