import { describe, expect, it } from 'vitest'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { tokensOf } from './tokens.ts'

const result = (output: string, input = 0, generated = 0): PromptResult => ({
  session_id: '',
  backend: 'claude',
  exit_code: 0,
  duration_ms: 1,
  output,
  token_usage: { input_tokens: input, output_tokens: generated, cached_tokens: 0, reasoning_tokens: 0 },
})

describe('tokensOf', () => {
  it.each([
    [12, 3],
    [12, 0],
    [0, 3],
  ])('uses the counts of the agent: %i and %i', (input, output) => {
    expect(tokensOf(result('some words', input, output), 'a prompt')).toEqual({ input, output })
  })

  it.each([
    ['', '', { input: 0, output: 0 }],
    ['a', 'abcd', { input: 1, output: 1 }],
    ['abcde', 'ääää', { input: 2, output: 2 }],
    ['🎈', '🎈🎈🎈', { input: 1, output: 3 }],
  ])(
    'takes a quarter of the bytes, rounded up, where the agent counts nothing: %j and %j',
    (prompt, output, tokens) => {
      expect(tokensOf(result(output), prompt)).toEqual(tokens)
    },
  )
})
