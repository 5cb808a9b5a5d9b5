import { describe, expect, it } from 'vitest'
import { treeOf } from '../../test/support/drive-fixture.ts'
import type { AgentLocation } from '../agents/locate-agents.ts'
import { AttemptGuard, whyUnpriced } from './attempt-guard.ts'
import type { DriveContext } from './drive-context.ts'

const usageOf = (input_tokens: number) => ({ input_tokens, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 })

function guardWith(limits: { timeMs?: number; maxTokens?: number; stallMs?: number }) {
  const { timeMs, maxTokens = Infinity, stallMs = 60_000 } = limits
  return new AttemptGuard({
    signal: new AbortController().signal,
    stallMs,
    timeMs,
    tree: treeOf(),
    observe: async () => treeOf(),
    isOverBudget: ({ input_tokens }) => (input_tokens >= maxTokens ? 'max_tokens' : undefined),
  })
}

const aborted = (guard: AttemptGuard) =>
  new Promise<void>((resolve) => guard.signal.addEventListener('abort', () => resolve()))

describe('an attempt', () => {
  it('is ended when its time is over', async () => {
    using guard = guardWith({ timeMs: 5 })
    await aborted(guard)
    expect(guard.reason).toEqual({ how: 'budget', message: 'the limit of time is reached' })
  })

  it('is ended when it reports as many tokens as are left, and not before', () => {
    using guard = guardWith({ maxTokens: 100 })
    guard.noteUsage(usageOf(99))
    expect(guard.signal.aborted).toBe(false)
    guard.noteUsage(usageOf(100))
    expect([guard.signal.aborted, guard.reason?.how]).toEqual([true, 'budget'])
  })

  it('is ended when its cost must be known and will not be', () => {
    using guard = guardWith({})
    guard.noteCost(undefined)
    expect(guard.signal.aborted).toBe(false)
    guard.noteCost('no price')
    expect(guard.reason).toEqual({ how: 'budget', message: 'no price', code: 'cost_unknown' })
    expect(guard.signal.aborted).toBe(true)
  })

  it.each([
    ['a model without a price', 'mine', {}, /^the model mine of codex has no price, .+; add one to the setting prices/],
    ['a model with a price', 'gpt-5.5', {}, undefined],
    ['no model', undefined, {}, undefined],
    ['a model without a price, but may report its cost in the end', 'mine', { profile: {} }, undefined],
  ])('of an agent that names %s', (_, model, traits, why) => {
    const agent = { backend: 'codex', reports: { tokens: true, cost: false }, ...traits }
    const located = { backend: 'codex', agent } as unknown as AgentLocation
    const prompts = { settings: { backends: {}, prices: [] }, locate: () => located }
    const said = whyUnpriced(model, located, prompts as unknown as DriveContext['prompts'])
    expect(said).toEqual(why === undefined ? undefined : expect.stringMatching(why))
  })

  it('is ended when it is silent and changes nothing', async () => {
    using guard = guardWith({ stallMs: 5 })
    await aborted(guard)
    expect(guard.reason?.how).toBe('stalled')
  })
})
