/** What a driver does when an agent reaches a limit of its provider: wait, hand over to another agent, or pause. Pure. */
import { LASTING, OUTAGES, PASSING } from '../../agents/adapter/failure.ts'
import { isBudget, nameBudget } from '../../prompts/budget-faults.ts'
import type { RefusingBudget } from '../../prompts/budget-list.shape.ts'
import type { DrivePause } from '../record/drive-event.shape.ts'
import type { Attempt, DriveState } from '../record/drive-state.ts'

export type LimitChoice = 'pause' | 'wait' | 'next'

export type LimitStep =
  /** Ask a person what to do, or decide it where no one can be asked. */
  | { readonly do: 'decide_limit'; readonly limit: Limit; readonly next: string | undefined }
  | { readonly do: 'hand_over'; readonly attempt: Attempt; readonly to: string; readonly code: string }
  | ({ readonly do: 'wait_for_limit'; readonly backend: string; readonly code: string } & Reset)
  | { readonly do: 'pause'; readonly reason: DrivePause; readonly message: string }

/** When to try again. `is_guess`: the agent does not say when its limit is reset. `budget`: the one that has nothing left. */
type Reset = {
  readonly until: string
  readonly is_guess?: true | undefined
  readonly budget?: RefusingBudget | undefined
}

/** A limit that an attempt has reached. */
export type Limit = {
  readonly backend: string
  readonly code: string
  readonly error: string
  /** When to try again; undefined if time does not help. */
  readonly until: string | undefined
} & Omit<Reset, 'until'>

const SECOND = 1000
const MINUTE = 60 * SECOND
/** How long to wait if the agent does not say when its limit is reset: longer each time. */
const UNKNOWN_WAITS = [1, 5, 15, 30, 60].map((minutes) => minutes * MINUTE)
/** Clocks differ, and a request just before the reset would be lost. A share of the wait, between these. */
const LEAST_MARGIN = SECOND
const MOST_MARGIN = MINUTE
const MARGIN_SHARE = 0.1

/** Whether the failure counts as a limit. An outage does only after the second attempt that every failure gets. */
export function isLimit(code: string | undefined, { wasTriedAgain }: { wasTriedAgain: boolean }): boolean {
  if (code === undefined) return false
  return isBudget(code) || PASSING.includes(code) || LASTING.includes(code) || (wasTriedAgain && OUTAGES.includes(code))
}

/** `times`: how often in a row the agent has reached a limit. */
export function limitOf({ backend, ended }: Attempt, times: number): Limit {
  const { error = '', error_code: code = '', retry_after_ms: told, at = '', budget } = ended ?? {}
  const wait = told ?? UNKNOWN_WAITS[Math.min(times, UNKNOWN_WAITS.length) - 1] ?? MINUTE
  // A budget follows drover's own clock.
  const margin = isBudget(code) ? 0 : Math.min(MOST_MARGIN, Math.max(LEAST_MARGIN, wait * MARGIN_SHARE))
  const canPass = isBudget(code) ? told !== undefined : PASSING.includes(code) || OUTAGES.includes(code)
  const until = canPass ? laterBy(at, wait + margin) : undefined
  const isGuess = canPass && told === undefined
  return { backend, code, error, until, ...(isGuess && { is_guess: true }), ...(budget !== undefined && { budget }) }
}

function laterBy(at: string, ms: number): string {
  return new Date(Math.min(Date.parse(at) + ms, LAST_MOMENT)).toISOString()
}

/** The last moment that a timestamp of four digits can name. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')

/** What was chosen for this run; undefined if a person has still to be asked. Older records have no such option. */
export function choiceOf({ options, limit_choice: chosen }: DriveState): LimitChoice | undefined {
  const { on_limit: wanted = 'pause' } = options
  return wanted === 'ask' ? chosen : wanted
}

type Waiting = { readonly canAsk: boolean; readonly now: Date }

/** Whether the run waits for a limit that another run has reached. Otherwise it tries the agent. */
export function waitsForOthers(state: DriveState, until: string, { canAsk, now }: Waiting): boolean {
  const { on_limit: wanted, max_wait_ms: longest = Infinity } = state.options
  const choice = wanted === 'ask' && !canAsk ? 'wait' : choiceOf(state)
  return choice === 'wait' && Date.parse(until) - now.getTime() <= longest
}

/** The agent that does an action: the one in the options, unless it has handed over. */
export function agentInCharge(kind: Attempt['action_kind'], { options, handed_to: to }: DriveState) {
  const isReview = kind === 'review'
  const other = isReview ? to?.review : to?.work
  if (other !== undefined) return { backend: other }
  const model = isReview ? options.review_model : options.model
  return { backend: isReview ? options.review_backend : options.backend, ...(model !== undefined && { model }) }
}

/** The agents that may do an action, in the order in which they are tried. */
function candidates(kind: Attempt['action_kind'], { options }: DriveState): string[] {
  const first = kind === 'review' ? options.review_backend : options.backend
  return [...new Set([first, ...(options.fallback ?? [])])]
}

/** Whether another agent took over before this attempt. */
export function isFallback({ action_kind: kind, backend }: Attempt, state: DriveState): boolean {
  return candidates(kind, state)[0] !== backend
}

/** What follows an attempt that reached a limit, until another attempt may begin. Undefined if it may begin now. */
export function afterLimit(state: DriveState, last: Attempt, atAction: readonly Attempt[]): LimitStep | undefined {
  if (mayTryAgain(state, last)) return undefined
  const limit = limitOf(last, timesInARow(atAction, last))
  const next = nextAgent(state, last, limit)
  const choice = choiceOf(state)
  if (choice === undefined) {
    // Where only a pause is possible, there is nothing to ask.
    if (limit.until === undefined && next === undefined) return pauseFor(limit)
    return { do: 'decide_limit', limit, next }
  }
  if (last.handed_to === undefined && choice === 'next' && next !== undefined)
    return { do: 'hand_over', attempt: last, to: next, code: limit.code }
  const standing = last.handed_to === undefined ? limit : standingLimit(state, last.handed_to, last)
  if (standing === undefined) return undefined
  return choice === 'pause' ? pauseFor(standing) : wait(state, standing, atAction)
}

/** The wait is over, or a person continues the run: after a pause, or because they have logged in or paid since. */
function mayTryAgain({ attempts_at_wait: waited = 0, ...state }: DriveState, { attempt, ended }: Attempt): boolean {
  if (waited >= attempt) return true
  const { error_code: code = '' } = ended ?? {}
  // Nothing is paid for asking a budget again, and its limit may be another one now.
  const isPersonal = state.attempts_at_pause >= attempt || LASTING.includes(code) || isBudget(code)
  return isPersonal && state.attempts_before >= attempt
}

const LONGER = 'a higher --max-wait (drive.max_wait_secs; in a program: max_wait_secs)'

function wait({ options }: DriveState, limit: Limit, atAction: readonly Attempt[]): LimitStep {
  const { error: _, until, ...of } = limit
  if (until === undefined) return pauseFor(limit)
  const since = limitedSince(atAction)
  const { max_wait_ms: longest = Infinity } = options
  if (Date.parse(until) - since <= longest) return { do: 'wait_for_limit', ...of, until }
  const tooLong = `${describeLimit(limit)}, longer than drover may wait; continue later`
  // Another agent has the same budget.
  if (isBudget(limit.code)) return { do: 'pause', reason: 'budget_spent', message: `${tooLong}, or with ${LONGER}` }
  return {
    do: 'pause',
    reason: 'agent_limited',
    message: `${tooLong}, with ${LONGER}, or with another agent`,
  }
}

function pauseFor(limit: Limit): LimitStep {
  if (isBudget(limit.code)) return { do: 'pause', reason: 'budget_spent', message: limit.error }
  const reason = limit.until === undefined ? 'agent_failed' : 'agent_limited'
  return { do: 'pause', reason, message: describeLimit(limit) }
}

/** What keeps an attempt from beginning. */
export function limitedBy({ backend, code, budget }: Pick<Limit, 'backend' | 'code' | 'budget'>): string {
  if (!isBudget(code)) return `${backend} is limited`
  return `${budget === undefined ? 'a budget' : nameBudget(budget)} has nothing left`
}

/** A time that drover has chosen itself is not called the end of the limit. */
export function limitedUntil({ until, is_guess: isGuess, ...limit }: Pick<Limit, 'backend' | 'code'> & Reset): string {
  return `${limitedBy(limit)}${isGuess === true ? '; reset time unknown, tries again at' : ' until'} ${until}`
}

export function describeLimit({ backend, code, error, until, is_guess }: Limit): string {
  if (isBudget(code)) return error
  return until === undefined
    ? `${backend} failed: ${error}`
    : `${limitedUntil({ backend, code, until, is_guess })}: ${error}`
}

/** The next agent without a limit, or else the one whose limit is reset first. Undefined if it is the same one, or there is none. */
function nextAgent(state: DriveState, last: Attempt, limit: Limit): string | undefined {
  if (isBudget(limit.code)) return undefined
  const others = candidates(last.action_kind, state).filter((each) => each !== last.backend)
  const free = others.find((each) => standingLimit(state, each, last) === undefined)
  if (free !== undefined) return free
  const passing = others.flatMap((each) => {
    const until = standingLimit(state, each, last)?.until
    return until === undefined ? [] : [{ backend: each, until }]
  })
  const [soonest] = passing.sort((one, other) => one.until.localeCompare(other.until))
  if (soonest === undefined) return undefined
  return limit.until === undefined || soonest.until < limit.until ? soonest.backend : undefined
}

/** The limit of an agent that was still standing when this attempt ended. */
function standingLimit(state: DriveState, backend: string, { ended }: Attempt): Limit | undefined {
  const own = state.attempts.filter((each) => each.backend === backend)
  const latest = own.at(-1)
  if (latest?.ended?.how !== 'failed') return undefined
  const limit = limitOf(latest, timesInARow(own, latest))
  const isOver = limit.until !== undefined && limit.until <= (ended?.at ?? '')
  return isOver ? undefined : limit
}

/** How many attempts of the same agent, up to this one, have failed in a row. */
function timesInARow(attempts: readonly Attempt[], { backend, attempt }: Attempt): number {
  const own = attempts.filter((each) => each.backend === backend && each.attempt <= attempt)
  return own.length - 1 - own.findLastIndex(({ ended }) => ended?.how !== 'failed')
}

/** When the first of the failures in a row came, in milliseconds. */
function limitedSince(attempts: readonly Attempt[]): number {
  const first = attempts[attempts.findLastIndex(({ ended }) => ended?.how !== 'failed') + 1]
  return Date.parse(first?.ended?.at ?? '')
}
