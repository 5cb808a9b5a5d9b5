import { describe, expect, it } from 'vitest'
import { billedTokens, errorTypeOf, providerOf, toolAttributes } from './genai.ts'

const USAGE = { input_tokens: 10, output_tokens: 5, cached_tokens: 4, reasoning_tokens: 3, cache_write_tokens: 2 }

describe('billedTokens', () => {
  it.each([
    ['counts everything', { cache: false, reasoning: false }, 10, 5],
    ['counts its cache apart', { cache: true, reasoning: false }, 16, 5],
    ['counts its thinking apart', { cache: false, reasoning: true }, 10, 8],
  ])('counts cached tokens as input and thinking as output, for an agent that %s', (_name, apart, input, output) => {
    expect(billedTokens(USAGE, apart)).toEqual({
      attributes: {
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
        'gen_ai.usage.cache_read.input_tokens': 4,
        'gen_ai.usage.cache_creation.input_tokens': 2,
      },
      counts: [
        ['input', input],
        ['output', output],
      ],
    })
  })

  it('reports nothing if the agent has reported nothing', () => {
    const nothing = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }
    expect(billedTokens(nothing, { cache: false, reasoning: false })).toBeUndefined()
  })
})

it.each([
  ['claude', 'anthropic'],
  ['claude-acp', 'anthropic'],
  ['codex', 'openai'],
  ['gemini', 'gcp.gemini'],
  ['mine', 'mine'],
])('%s is an agent of %s', (backend, provider) => {
  expect(providerOf(backend)).toBe(provider)
})

it.each<[string | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  ['rate_limited', 'slow down', 'rate_limited'],
  [undefined, 'it said so', '_OTHER'],
  ['Error: at /home/ada/x.ts', 'x', '_OTHER'],
])('an error with the code %s and the message %s has the type %s', (code, message, type) => {
  expect(errorTypeOf(code, message)).toBe(type)
})

it('limits the name of a tool, which is a label of a metric', () => {
  expect(toolAttributes({ backend: 'mine', tool: 'x'.repeat(1000) })['gen_ai.tool.name']).toHaveLength(100)
})
