import { describe, expect, it } from 'vitest'
import { failureOfError, judgeTurn, type TurnFacts } from './turn-end.ts'

const FACTS: TurnFacts = {
  backend: 'fake',
  profile: {},
  result: { stopReason: 'end_turn' },
  text: 'Hello.',
  lastChunk: 'Hello.',
  hasBegun: true,
  wasDenied: false,
  lastNotice: undefined,
}

describe('judgeTurn', () => {
  it.each<[string, Partial<TurnFacts>, unknown]>([
    ['an answer', {}, 'success'],
    ['white space', { text: ' \n' }, { code: 'agent_ended_early' }],
    ['nothing at all', { text: '', hasBegun: false }, { code: 'agent_ended_early' }],
    ['nothing after a denial', { text: '', wasDenied: true }, { message: expect.stringContaining('was denied') }],
    [
      'a cancelled turn after a denial',
      { result: { stopReason: 'cancelled' }, wasDenied: true },
      { message: expect.stringContaining('was denied') },
    ],
    ['a turn that the agent cancelled', { result: { stopReason: 'cancelled' } }, { code: 'agent_ended_early' }],
    ['too many requests', { result: { stopReason: 'max_turn_requests' } }, { code: 'agent_max_turns' }],
    [
      'an answer that was cut off',
      { result: { stopReason: 'max_tokens' } },
      { message: expect.stringContaining('cut off') },
    ],
    ['a refusal', { result: { stopReason: 'refusal' } }, { code: 'agent_request_rejected' }],
    ['no reason', { result: {} }, { message: expect.stringContaining('gave no reason') }],
    [
      'an error as the last chunk',
      { profile: { failure: { lastChunk: /^Oops: / } }, text: 'so far Oops: 1', lastChunk: 'Oops: 1' },
      { message: 'Oops: 1' },
    ],
    [
      'the same text inside an answer',
      { profile: { failure: { lastChunk: /^Oops: / } }, text: 'It says Oops: 1', lastChunk: ' 1' },
      'success',
    ],
    [
      'counts that are null',
      { profile: { failure: { usageIsNull: true } }, result: { stopReason: 'end_turn', usage: null } },
      { message: 'Hello.' },
    ],
    ['counts that are missing', { profile: { failure: { usageIsNull: true } } }, 'success'],
  ])('of %s', (_name, over, expected) => {
    const outcome = judgeTurn({ ...FACTS, ...over })
    if (expected === 'success') expect(outcome).toBe('success')
    else expect(outcome).toMatchObject(expected as object)
  })
})

describe('failureOfError', () => {
  it.each([
    [
      { code: -32000, message: 'Authentication required' },
      { code: 'agent_auth_failed', message: 'fake is not logged in' },
    ],
    [{ code: -32000, message: 'Session is busy' }, { message: 'Session is busy' }],
    [
      { code: 500, message: 'terminated' },
      { message: 'terminated', code: 'agent_unreachable' },
    ],
    [
      { code: 500, message: 'fake 500' },
      { message: 'fake 500', status: 500 },
    ],
    [
      { code: -32603, message: 'Internal error', data: { details: '401 no key' } },
      { message: 'Internal error: 401 no key', status: 401 },
    ],
    [
      { code: -32603, message: 'Internal error', data: 'Unauthorized (401) from x\nmore' },
      { message: 'Internal error: Unauthorized (401) from x', status: 401 },
    ],
    [
      { code: 429, message: 'slow down' },
      { message: 'slow down', status: 429 },
    ],
    [
      { code: 401, message: '{"error":{"message":"no key"}}' },
      { message: 'no key', status: 401 },
    ],
    [
      { code: -32603, message: 'failed', data: { statusCode: 503 } },
      { message: 'failed', status: 503 },
    ],
    [
      { code: -32603, message: 'used 500 tokens' },
      { message: 'used 500 tokens', status: undefined },
    ],
    [{}, { message: 'the agent gave no reason' }],
    [undefined, { message: 'the agent gave no reason' }],
  ])('%j', (error, expected) => {
    expect(failureOfError(error, { backend: 'fake', profile: { login: 'fake login' } })).toMatchObject(expected)
  })
})
