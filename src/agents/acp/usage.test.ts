import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../adapter/token-usage.ts'
import { contextIn, costOfSession, sumUsage, usageOfChunk, usageOfTurn } from './usage.ts'

const COUNTS = { inputTokens: 100, outputTokens: 10, cachedReadTokens: 60, cachedWriteTokens: 7, thoughtTokens: 4 }
const READ = { input_tokens: 100, output_tokens: 10, cached_tokens: 60, reasoning_tokens: 4, cache_write_tokens: 7 }
const OTHER = { input_tokens: 1, output_tokens: 2, cached_tokens: 3, reasoning_tokens: 4 }

type Counted = Parameters<typeof usageOfTurn>[0]

const usageOf = (profile: Counted['profile'], over: Partial<Counted> = {}) =>
  usageOfTurn({ profile, result: { usage: COUNTS }, perRequest: undefined, prior: undefined, backend: 'fake', ...over })

describe('the usage of a turn', () => {
  it.each<[string, Counted['profile'], Partial<Counted>, ReturnType<typeof usageOfTurn>]>([
    ['is what the agent counts for it', { usage: 'turn' }, {}, { usage: READ }],
    ['is zero if the agent counts nothing', { usage: 'turn' }, { result: {} }, { usage: NO_USAGE }],
    [
      'has a warning if only the last request is counted',
      { usage: 'last-request' },
      {},
      { usage: READ, warning: 'fake counts only the tokens of its last model request' },
    ],
    [
      'is the whole session at its beginning, if the agent counts that',
      { usage: 'session' },
      {},
      { usage: READ, threadUsage: READ },
    ],
    [
      'is the session without the turns before',
      { usage: 'session' },
      { prior: { input_tokens: 90, output_tokens: 9, cached_tokens: 50, reasoning_tokens: 3, cache_write_tokens: 6 } },
      {
        usage: { input_tokens: 10, output_tokens: 1, cached_tokens: 10, reasoning_tokens: 1, cache_write_tokens: 1 },
        threadUsage: READ,
      },
    ],
    ['is the sum of its requests', { usage: 'per-request' }, { perRequest: OTHER }, { usage: OTHER }],
    ['is zero without a request', { usage: 'per-request' }, {}, { usage: NO_USAGE }],
    ['is in the metadata', { usage: 'meta' }, { result: { _meta: { usage: COUNTS }, usage: {} } }, { usage: READ }],
    [
      'is in the quota first',
      { usage: 'meta' },
      { result: { _meta: { usage: {}, quota: { token_count: { input_tokens: 1, output_tokens: 2 } } } } },
      { usage: { ...NO_USAGE, input_tokens: 1, output_tokens: 2 } },
    ],
    [
      'is not known, which a warning says',
      { usage: 'none' },
      {},
      { usage: NO_USAGE, warning: 'fake reports no token usage' },
    ],
    [
      'has the cache in its input',
      { usage: 'turn', countsApart: { cache: true, reasoning: false } },
      {},
      { usage: { ...READ, input_tokens: 167 } },
    ],
    [
      'has the thoughts in its output',
      { usage: 'turn', countsApart: { cache: false, reasoning: true } },
      {},
      { usage: { ...READ, output_tokens: 14 } },
    ],
    [
      'has other names',
      { usage: 'turn' },
      { result: { usage: { input_tokens: 5, output_tokens: 4, cached_tokens: 3, reasoningTokens: 2 } } },
      { usage: { input_tokens: 5, output_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 } },
    ],
    [
      'has yet other names',
      { usage: 'turn' },
      { result: { usage: { inputTokens: 5, outputTokens: 4, cachedInputTokens: 3, reasoningOutputTokens: 2 } } },
      { usage: { input_tokens: 5, output_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 } },
    ],
  ])('%s', (_name, profile, over, expected) => {
    expect(usageOf(profile, over)).toEqual(expected)
  })
})

describe('the cost of a session', () => {
  it.each<[string, object, number | undefined]>([
    ['is that of an update', { cost: { amount: 0.25, currency: 'USD' } }, 0.25],
    ['is not known without one', { used: 1, size: 2 }, undefined],
    ['is not known in another currency', { cost: { amount: 0.25, currency: 'credits' } }, undefined],
    ['is not known if it is 0', { cost: { amount: 0, currency: 'USD' } }, undefined],
    ['is not known if it is no number', { cost: { amount: '1', currency: 'USD' } }, undefined],
    ['is in no other update', { sessionUpdate: 'plan', cost: { amount: 0.25, currency: 'USD' } }, undefined],
  ])('%s', (_name, update, expected) => {
    expect(costOfSession({ sessionUpdate: 'usage_update', ...update })).toBe(expected)
  })
})

describe('the context', () => {
  it('is that of an update, unless the agent does not know it yet', () => {
    expect(contextIn({ used: 9, size: 99 })).toEqual({ used_tokens: 9, window_tokens: 99 })
    expect([contextIn({ used: 0, size: 99 }), contextIn({ used: 9, size: 0 }), contextIn({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the usage of a request', () => {
  it('is in the metadata of a chunk, and added to that of the others', () => {
    expect(usageOfChunk({ _meta: { usage: COUNTS } })).toEqual(READ)
    expect([usageOfChunk({}), usageOfChunk({ _meta: {} })]).toEqual([undefined, undefined])
    expect(sumUsage(undefined, OTHER)).toEqual(OTHER)
    expect(sumUsage(OTHER, OTHER)).toEqual({ input_tokens: 2, output_tokens: 4, cached_tokens: 6, reasoning_tokens: 8 })
  })
})
