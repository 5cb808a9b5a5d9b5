import { describe, expect, it } from 'vitest'
import type { PromptResult } from './prompt-result.ts'
import { toTokens } from './tokens.ts'

const NO_PARTS = { cacheRead: 0, cacheWrite: 0, reasoning: 0 }

const result = (over: Partial<PromptResult>, counts: Partial<PromptResult['token_usage']> = {}): PromptResult => ({
  session_id: '',
  backend: 'claude',
  exit_code: 0,
  duration_ms: 1,
  output: 'some words',
  token_usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, ...counts },
  ...over,
})

describe('toTokens', () => {
  it.each([
    [12, 3],
    [12, 0],
    [0, 3],
  ])('uses the counts of the agent: %i and %i', (input, output) => {
    const answer = result({}, { input_tokens: input, output_tokens: output })
    expect(toTokens(answer, 'a prompt')).toEqual({ ...NO_PARTS, input, output })
  })

  it.each([
    // Of a prompt with 1000 tokens 600 come from a cache and 150 are written to it; of 50 tokens of output 7 are thinking.
    ['claude', { input_tokens: 250, cached_tokens: 600, cache_write_tokens: 150, output_tokens: 50 }, 0],
    [
      'codex',
      { input_tokens: 1000, cached_tokens: 600, cache_write_tokens: 150, output_tokens: 50, reasoning_tokens: 7 },
      7,
    ],
    [
      'gemini',
      { input_tokens: 1000, cached_tokens: 600, cache_write_tokens: 150, output_tokens: 43, reasoning_tokens: 7 },
      7,
    ],
  ])('counts the same for %s, however it counts itself', (backend, counts, reasoning) => {
    expect(toTokens(result({ backend }, counts), 'a prompt')).toEqual({
      input: 1000,
      cacheRead: 600,
      cacheWrite: 150,
      output: 50,
      reasoning,
    })
  })

  it('does not estimate if all of the prompt came from a cache', () => {
    expect(toTokens(result({}, { cached_tokens: 600 }), 'a prompt')).toMatchObject({ input: 600, output: 0 })
  })

  it.each([
    ['', '', { input: 0, output: 0 }],
    ['a', 'abcd', { input: 1, output: 1 }],
    ['abcde', 'ääää', { input: 2, output: 2 }],
    ['🎈', '🎈🎈🎈', { input: 1, output: 3 }],
  ])(
    'takes a quarter of the bytes, rounded up, where the agent counts nothing: %j and %j',
    (prompt, output, tokens) => {
      expect(toTokens(result({ output }), prompt)).toEqual({ ...NO_PARTS, ...tokens })
    },
  )
})
