import { describe, expect, it } from 'vitest'
import {
  type Billing,
  type CostKind,
  canKnowCost,
  decideCost,
  describeCostGap,
  findCostGap,
  findPrice,
} from './decide-cost.ts'
import { listPrices } from './model-prices.ts'

const usage = { input_tokens: 1_000_000, output_tokens: 100_000, cached_tokens: 600_000, reasoning_tokens: 0 }

const billing = (
  backend: string,
  more: Partial<Billing> & { cost?: boolean; tokens?: boolean; shape?: string } = {},
) => {
  const { cost = backend === 'claude', tokens = true, shape, ...rest } = more
  const agent = { backend, reports: { cost, tokens, exitCodes: true }, ...(shape && { profile: { usage: shape } }) }
  return { prices: [], isPlan: false, isDemo: false, agent, ...rest }
}

describe('decideCost', () => {
  it.each<[string, { model: string | undefined; reportedUsd?: number }, Billing, CostKind, number?]>([
    ['what the agent says', { model: 'claude-opus-4-5', reportedUsd: 0.5 }, billing('claude'), 'reported', 0.5],
    [
      'nothing under a plan',
      { model: 'claude-opus-4-5', reportedUsd: 0.5 },
      billing('claude', { isPlan: true }),
      'plan',
    ],
    // 400k fresh at 1.25, 600k cached at 0.125, 100k written at 10.
    ['tokens at list prices', { model: 'gpt-5' }, billing('codex'), 'priced', 0.5 + 0.075 + 1],
    ['the same with a provider in front', { model: 'openai/gpt-5' }, billing('opencode'), 'priced', 1.575],
    // Claude counts those of the cache apart.
    ['tokens of the cache once', { model: 'claude-sonnet-4-5-20250929' }, billing('claude'), 'priced', 3 + 0.18 + 1.5],
    ['not known without a price', { model: 'mine' }, billing('codex'), 'unknown'],
    ['not known without a model', { model: undefined }, billing('codex'), 'unknown'],
    ['not known from a part of the tokens', { model: 'gpt-5' }, billing('goose', { shape: 'last-request' }), 'unknown'],
    ['not known without tokens', { model: 'gpt-5' }, billing('kimi', { tokens: false }), 'unknown'],
    ['zero for the demo agent', { model: 'gpt-5' }, billing('codex', { isDemo: true }), 'reported', 0],
    [
      'zero for the demo agent under a plan',
      { model: 'gpt-5' },
      billing('codex', { isDemo: true, isPlan: true }),
      'reported',
      0,
    ],
    [
      'what the settings say',
      { model: 'gpt-5' },
      billing('codex', { prices: [{ model: 'gpt-*', input: 1, output: 2 }] }),
      'priced',
      1.2,
    ],
  ])('is %s', (_, turn, agent, kind, usd) => {
    const cost = decideCost({ usage, ...turn }, agent)
    expect(cost.kind).toBe(kind)
    expect(cost.usd).toEqual(usd && expect.closeTo(usd, 9))
  })

  it('stays a number that can be added, whatever an agent says', () => {
    const most = Number.MAX_SAFE_INTEGER
    const lie = { input_tokens: most, output_tokens: most, cached_tokens: most, reasoning_tokens: most }
    expect(decideCost({ usage: lie, model: 'gpt-5' }, billing('codex')).usd).toBe(1_000_000_000)
    expect(decideCost({ usage, model: 'x', reportedUsd: 1e300 }, billing('claude')).usd).toBe(1_000_000_000)
    // More tokens from the cache than tokens.
    const odd = { input_tokens: 0, output_tokens: 0, cached_tokens: 1_000_000, reasoning_tokens: 0 }
    expect(decideCost({ usage: odd, model: 'gpt-5' }, billing('codex')).usd).toBe(0.125)
  })

  it('has no digits that only the arithmetic adds', () => {
    const noise = 0.0027199999999999998
    expect(decideCost({ usage, model: 'x', reportedUsd: noise }, billing('claude')).usd).toBe(0.00272)
    const tokens = { ...usage, input_tokens: 3, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 0 }
    const prices = [{ model: 'x', input: 1.1, output: 1 }]
    expect(decideCost({ usage: tokens, model: 'x' }, billing('codex', { prices })).usd).toBe(0.0000033)
  })
})

describe('the list of prices', () => {
  it('has every model once, and no price that is free or negative', () => {
    expect(new Set(listPrices().map(({ model }) => model)).size).toBe(listPrices().length)
    const prices = listPrices().flatMap(({ input, output, cached_input = 1, cache_write = 1 }) => [
      ...[input, output, cached_input, cache_write],
    ])
    expect(prices.filter((price) => !(price > 0))).toEqual([])
  })

  it.each([
    ['claude-opus-5-5-20260801', 4],
    ['claude-opus-5', 5],
    ['claude-opus-4-20250514', 15],
    ['claude-sonnet-4-5-20250929[1m]', 3],
    ['gpt-5-2025-08-07', 1.25],
    ['gpt-5-mini', 0.25],
    ['gemini-2.5-flash-lite', 0.1],
    ['GPT-5', 1.25],
  ])('finds %s', (model, input) => {
    expect(findPrice(model, [])?.input).toBe(input)
  })

  it.each(['gpt-5-pro', 'gpt-5.5-pro', 'claude-opus-6', 'demo', ''])('does not guess the price of %j', (model) => {
    expect(findPrice(model, [])).toBeUndefined()
  })
})

describe('findCostGap', () => {
  it.each([
    ['claude', undefined, billing('claude'), undefined],
    ['claude under a plan', undefined, billing('claude', { isPlan: true }), 'plan'],
    ['codex', undefined, billing('codex'), 'model'],
    ['the demo agent', 'mine', billing('kimi', { tokens: false, isDemo: true }), undefined],
    ['codex with a model that has a price', 'gpt-5', billing('codex'), undefined],
    ['codex with a model that has none', 'mine', billing('codex'), 'price'],
    ['an agent that reports no tokens', undefined, billing('kimi', { tokens: false }), 'tokens'],
    ['an agent that reports a part of them', undefined, billing('goose', { shape: 'last-request' }), 'tokens'],
  ] as const)('of %s with %s', (_, model, agent, expected) => {
    expect(findCostGap(model, agent)).toBe(expected)
    expect(canKnowCost(model, agent)).toBe(expected === undefined || expected === 'model')
  })

  it.each([
    ['plan', 'backends.codex.plan is true', '--max-tokens'],
    ['tokens', 'codex does not report all of its tokens', '--max-time'],
    [
      'model',
      'drover does not know the model of codex before it starts',
      'drover config set backends.codex.model MODEL',
    ],
    ['price', 'the model mine of codex has no price', 'the setting prices'],
  ] as const)('%s is described with what to do', (gap, why, todo) => {
    const described = describeCostGap(gap, { backend: 'codex', model: 'mine' })
    expect(described).toEqual({ why, todo: expect.stringContaining(todo) })
  })
})
