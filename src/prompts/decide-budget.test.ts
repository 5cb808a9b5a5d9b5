import { describe, expect, it } from 'vitest'
import { placeScope, toBudget } from './budget-limit.ts'
import { averageOf, type BudgetState, chargeFor, decideReservation, toRefusal } from './decide-budget.ts'

const NOW = new Date('2026-01-31T12:00:00Z')
const state = (text: string, used: number, reserved = 0, resetsAt = '2026-02-01T00:00:00Z'): BudgetState => ({
  ...toBudget(text, placeScope({})),
  ...{ start: 'x', resetsAt, used, reserved },
})

describe('decideReservation', () => {
  const HISTORY = { usd: 0.1, tokens: 500, requests: 1, minutes: 1 }

  it.each([
    ['what prompts like it used', state('1usd/day', 0), HISTORY, 100_000],
    ['a default without history', state('1usd/day', 0), {}, 250_000],
    ['what is left, if that is less', state('1usd/day', 950_000), HISTORY, 50_000],
    ['what others leave', state('1usd/day', 900_000, 99_999), HISTORY, 1],
    ['at least something', state('1usd/day', 0), { ...HISTORY, usd: 0 }, 1],
    ['one request', state('3requests/day', 2), HISTORY, 1],
    ['minutes', state('10minutes/day', 0), HISTORY, 60_000],
  ])('reserves %s', (_, budget, history, amount) => {
    expect(decideReservation([budget], history, NOW)).toEqual({ amounts: new Map([[budget.id, amount]]) })
  })

  it.each([
    ['spent', state('1usd/day', 1_000_000), 'budget_spent', 43_200],
    ['overshot', state('1usd/day', 5_000_000), 'budget_spent', 43_200],
    ['spent, and resets soon', state('1usd/day', 1_000_000, 0, '2026-01-31T13:00:00Z'), 'budget_full', 3600],
    ['spent for ever', { ...state('1usd/once', 1_000_000), resetsAt: undefined }, 'budget_spent', undefined],
    ['held by others', state('1usd/day', 900_000, 100_000), 'budget_full', 15],
    ['spent at its end', state('1usd/day', 1_000_000, 0, '2026-01-31T11:00:00Z'), 'budget_full', 1],
  ])('refuses if it is %s', (_, budget, code, retryAfterSecs) => {
    const decision = decideReservation([state('9usd/week', 0), budget], {}, NOW)
    expect('refusal' in decision && [decision.refusal.code, decision.refusal.details.retryAfterSecs]).toEqual([
      code,
      retryAfterSecs,
    ])
  })

  it('says which budget, what was used, and when it resets', () => {
    expect(toRefusal(state('1usd/day', 1_250_000), NOW).message).toBe(
      'the budget of $1.00 per day for all prompts is spent: $1.25 used; it resets at 2026-02-01T00:00:00Z',
    )
  })
})

describe('averageOf', () => {
  const PAST = { ended: 4, completed: 4, costKnown: 4, costUsd: 2, tokens: 4000, minutes: 8 }

  it.each([
    ['nothing without prompts', { ...PAST, ended: 0 }, {}],
    ['the average', PAST, { usd: 0.5, tokens: 1000, requests: 1, minutes: 2 }],
    ['the cost of those whose cost is known', { ...PAST, costKnown: 1 }, { usd: 2 }],
    ['no cost if none is known', { ...PAST, costKnown: 0, costUsd: 0 }, { usd: undefined }],
    ['the tokens of those that were not cut off', { ...PAST, completed: 1, tokens: 4000 }, { tokens: 4000 }],
    ['a default if all were cut off', { ...PAST, completed: 0, tokens: 0 }, { tokens: 100_000 }],
    ['no more than a default of what was cut off', { ...PAST, completed: 1, tokens: 200_000 }, { tokens: 100_000 }],
    ['more than a default if that is the average', { ...PAST, completed: 1, tokens: 800_000 }, { tokens: 200_000 }],
  ])('is %s', (_, past, expected) => {
    const average = averageOf(past)
    expect({ ...expected, ...average }).toEqual({ ...average, ...expected })
    if (past.ended === 0) expect(average).toEqual({})
  })
})

describe('chargeFor', () => {
  const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 }
  const times = { started_at: '2026-01-31T12:00:00Z', ended_at: '2026-01-31T12:03:00Z' }
  const done = { state: 'completed', backend: 'codex', usage, result: {}, ...times }
  const none = { ...done, usage: { ...usage, input_tokens: 0, output_tokens: 0 } }
  const failed = (code: string) => ({ ...none, state: 'failed', result: { error_code: code } })

  it.each([
    ['the cost', 'usd', { ...done, cost_usd: 0.5 }, 500_000, 0],
    ['nothing for a plan', 'usd', { ...done, cost_kind: 'plan' }, 0, 0],
    ['what was reserved, if the price is unknown', 'usd', done, 7, 7],
    ['nothing for a login that failed', 'usd', failed('agent_auth_failed'), 0, 0],
    ['what was reserved, if it was cut off', 'usd', failed('agent_timeout'), 7, 7],
    ['what was reserved, if its reader left', 'tokens', { ...done, usage, result: undefined as never }, 7, 7],
    ['the tokens', 'tokens', done, 15, 0],
    ['the minutes', 'minutes', done, 180_000, 0],
    ['no time if the clock was set back', 'minutes', { ...done, ended_at: '2026-01-31T11:00:00Z' }, 0, 0],
    ['a request', 'requests', failed('agent_timeout'), 1, 0],
    ['what was reserved, if it is lost', 'usd', { ...done, state: 'lost', cost_usd: 1 }, 7, 7],
    ['a cost that is too large to add', 'usd', { ...done, cost_usd: 1e300 }, Number.MAX_SAFE_INTEGER, 0],
    ['nothing for a cost below 0', 'usd', { ...done, cost_usd: -5 }, 0, 0],
    ['what was reserved, if nothing is known', 'minutes', undefined, 7, 7],
  ])('is %s', (_, unit, ended, amount, lost) => {
    const reserved = { budget: `key:1 ${unit}/day`, period: 'x', amount: 7 }
    expect(chargeFor(reserved, ended)).toEqual({ ...reserved, amount, lost })
  })
})
