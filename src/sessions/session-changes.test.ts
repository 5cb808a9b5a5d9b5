import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import type { Session } from './session.shape.ts'
import { editSession, endTurn, isResumable, statusAfter, withAgentSession } from './session-changes.ts'
import type { SessionStatus } from './session-statuses.ts'
import type { SessionEdit, TurnEnd } from './session-store.ts'

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
  const afterTurn = (before: Session, over: Partial<TurnEnd> = {}) =>
    endTurn(before, { end: end(over), at: AT, countsTokens: true })

  it('counts the turn and its tokens and updates the last use', () => {
    expect(afterTurn(session)).toEqual({
      ...session,
      status: 'completed',
      last_used: AT,
      turn_count: 3,
      token_usage: { input_tokens: 11, output_tokens: 22, cached_tokens: 6, reasoning_tokens: 8 },
    })
  })

  it('counts no more tokens than a reader of the store can read', () => {
    const most = Number.MAX_SAFE_INTEGER
    const usage = { ...NO_USAGE, input_tokens: most, output_tokens: most - 2 }
    const { input_tokens, output_tokens } = afterTurn(session, { usage }).token_usage
    expect({ input_tokens, output_tokens }).toEqual({ input_tokens: most, output_tokens: most })
  })

  it('does not add tokens if they are not counted', () => {
    const { token_usage, turn_count } = endTurn(session, { end: end(), at: AT, countsTokens: false })
    expect({ token_usage, turn_count }).toEqual({ token_usage: session.token_usage, turn_count: 3 })
  })

  it('pauses the turn if the agent reports its session id at the end', () => {
    expect(afterTurn(session, { outcome: 'interrupted', backendSessionId: 'x' })).toMatchObject({
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
  ])('%s replaces the error message of an earlier turn', (_, over, message) => {
    const after = afterTurn({ ...session, error_message: 'an earlier one' }, over)
    expect(after.error_message).toBe(message)
    expect('error_message' in after).toBe(message !== undefined)
  })

  it('removes the session id that the agent no longer knows', () => {
    const after = afterTurn({ ...session, backend_session_id: 'a' }, { outcome: 'error', isForgotten: true })
    expect(after.status).toBe('error')
    expect(after).not.toHaveProperty('backend_session_id')
  })

  it('keeps the id and the model if the agent does not report them again', () => {
    const known = { ...session, backend_session_id: 'known', model: 'opus' }
    expect(afterTurn(known, { usage: NO_USAGE })).toMatchObject({ backend_session_id: 'known', model: 'opus' })
  })
})

describe('withAgentSession', () => {
  it.each([
    [{}, {}, {}],
    [{}, { backendSessionId: 'a', model: 'm' }, { backend_session_id: 'a', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, {}, { backend_session_id: 'a', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, { backendSessionId: 'b' }, { backend_session_id: 'b', model: 'm' }],
    [{ backend_session_id: 'a', model: 'm' }, { model: 'n' }, { backend_session_id: 'a', model: 'n' }],
  ])('%j and %j give %j', (before, facts, after) => {
    expect(withAgentSession({ ...session, ...before }, facts)).toEqual({ ...session, ...after })
  })
})

describe('isResumable', () => {
  it('is true if the agent reported an id', () => {
    expect([isResumable(session), isResumable({ backend_session_id: 'x' })]).toEqual([false, true])
  })
})

const edited = (before: Partial<Session>, change: SessionEdit) => {
  const session = { tags: [], metadata: { kept: 1 }, ...before } as unknown as Session
  return editSession(session, change)
}

describe('editSession', () => {
  it.each<[SessionEdit, Partial<Session>]>([
    [{}, { tags: ['a', 'b'], title: 'old' }],
    [{ title: 'new' }, { tags: ['a', 'b'], title: 'new' }],
    [{ title: null }, { tags: ['a', 'b'] }],
    [{ metadata: { more: 2 } }, { tags: ['a', 'b'], title: 'old', metadata: { kept: 1, more: 2 } }],
    [{ metadata: { kept: null } }, { tags: ['a', 'b'], title: 'old', metadata: { kept: null } }],
    [{ addTags: ['c', 'a'] }, { tags: ['a', 'b', 'c'], title: 'old' }],
    [{ removeTags: ['a', 'z'] }, { tags: ['b'], title: 'old' }],
    [
      { addTags: ['c'], removeTags: ['a', 'c'] },
      { tags: ['b'], title: 'old' },
    ],
  ])('%j gives %j', (change, after) => {
    expect(edited({ tags: ['a', 'b'], title: 'old' }, change)).toStrictEqual({ metadata: { kept: 1 }, ...after })
  })

  it.each<SessionEdit>([
    { title: '' },
    { addTags: ['A'] },
    { removeTags: ['A'] },
    { addTags: ['A'], removeTags: ['A'] },
  ])('refuses %j', (change) => {
    expect(() => edited({}, change)).toThrow(expect.objectContaining({ code: 'session_field_invalid' }))
  })

  it('limits the tags after the edit, not before', () => {
    const tags = Array.from({ length: 64 }, (_, at) => `t${at}`)
    expect(edited({ tags }, { addTags: ['x'], removeTags: ['t0'] }).tags).toHaveLength(64)
    expect(() => edited({ tags }, { addTags: ['x'] })).toThrow('at most 64')
  })
})
