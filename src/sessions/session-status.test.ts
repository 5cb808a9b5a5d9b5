import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../agents/usage.ts'
import type { Session, SessionStatus } from './session.ts'
import { endTurn, isResumable, learn, statusAfter } from './session-status.ts'
import type { TurnEnd } from './session-store.ts'

const USAGE = { input_tokens: 10, output_tokens: 20, cached_tokens: 3, reasoning_tokens: 4 }
const AT = '2026-02-03T04:05:06.789Z'
const session: Session = {
  id: '0'.repeat(32),
  backend: 'codex',
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  last_used: '2026-01-02T00:00:00.000Z',
  working_dir: '/work',
  initial_prompt: 'hello',
  turn_count: 2,
  token_usage: { input_tokens: 1, output_tokens: 2, cached_tokens: 3, reasoning_tokens: 4 },
  tags: [],
  metadata: {},
  policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
}

describe('statusAfter', () => {
  it.each<[TurnEnd['outcome'], boolean, SessionStatus]>([
    ['completed', true, 'completed'],
    ['completed', false, 'completed'],
    ['error', true, 'error'],
    ['error', false, 'error'],
    ['interrupted', true, 'paused'],
    ['interrupted', false, 'error'],
  ])('%s, resumable: %s, gives %s', (outcome, isResumable, status) => {
    expect(statusAfter({ outcome, isResumable })).toBe(status)
  })
})

describe('endTurn', () => {
  const end = (over: Partial<TurnEnd> = {}): TurnEnd => ({ outcome: 'completed', usage: USAGE, ...over })
  const settle = (before: Session, over: Partial<TurnEnd> = {}) =>
    endTurn(before, { end: end(over), at: AT, countsTokens: true })

  it('counts the turn and its tokens and moves the last use', () => {
    expect(settle(session)).toEqual({
      ...session,
      status: 'completed',
      last_used: AT,
      turn_count: 3,
      token_usage: { input_tokens: 11, output_tokens: 22, cached_tokens: 6, reasoning_tokens: 8 },
    })
  })

  it('leaves the tokens alone where they are not to be counted', () => {
    const { token_usage, turn_count } = endTurn(session, { end: end(), at: AT, countsTokens: false })
    expect({ token_usage, turn_count }).toEqual({ token_usage: session.token_usage, turn_count: 3 })
  })

  it('judges by the id that the agent told with the end', () => {
    expect(settle(session, { outcome: 'interrupted', backendSessionId: 'x' })).toMatchObject({
      status: 'paused',
      backend_session_id: 'x',
    })
  })

  it.each<[string, Partial<TurnEnd>, string | undefined]>([
    ['a success', {}, undefined],
    ['a success with a message', { errorMessage: 'none' }, undefined],
    ['an error', { outcome: 'error', errorMessage: 'no credit' }, 'no credit'],
    ['an error without a message', { outcome: 'error' }, undefined],
    ['an interruption', { outcome: 'interrupted', errorMessage: 'cancelled' }, 'cancelled'],
  ])('after %s the message of an earlier turn is gone', (_, over, message) => {
    const settled = settle({ ...session, error_message: 'an earlier one' }, over)
    expect(settled.error_message).toBe(message)
    expect('error_message' in settled).toBe(message !== undefined)
  })

  it('forgets the id that the agent has forgotten, so that nobody tries it again', () => {
    const settled = settle({ ...session, backend_session_id: 'a' }, { outcome: 'error', isForgotten: true })
    expect(settled.status).toBe('error')
    expect(settled).not.toHaveProperty('backend_session_id')
  })

  it('keeps what the agent did not say this time', () => {
    const known = { ...session, backend_session_id: 'known', model: 'opus' }
    expect(settle(known, { usage: NO_USAGE })).toMatchObject({ backend_session_id: 'known', model: 'opus' })
  })
})

describe('learn', () => {
  it.each([
    [{}, {}, {}],
    [{}, { backendSessionId: 'a', model: 'm' }, { backend_session_id: 'a', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, {}, { backend_session_id: 'a', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, { backendSessionId: 'b' }, { backend_session_id: 'b', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, { model: 'n' }, { backend_session_id: 'a', model: 'n' }],
  ])('%j and %j give %j', (before, fact, after) => {
    expect(learn({ ...session, ...before }, fact)).toEqual({ ...session, ...after })
  })
})

describe('isResumable', () => {
  it('is what has an id of the agent', () => {
    expect([isResumable(session), isResumable({ backend_session_id: 'x' })]).toEqual([false, true])
  })
})
