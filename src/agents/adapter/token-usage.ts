import type { AgentEvent, Usage } from './agent.ts'

export const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 }

const COUNTS = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens'] as const

/** A sum stops at the largest safe integer: neither the session store nor a client can read a larger one. */
export function addUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, (x, y) => Math.min(x + y, Number.MAX_SAFE_INTEGER))
}

/** The usage of one turn, from the counts of the whole session. If a count has shrunk, the session was counted from zero. */
export function withoutPrior(total: Usage, prior: Usage): Usage {
  if (COUNTS.some((name) => total[name] < prior[name])) return total
  return combine(total, prior, (x, y) => x - y)
}

export function isNothing(usage: Usage): boolean {
  return COUNTS.every((name) => usage[name] === 0)
}

export function usageEvents(usage: Usage): AgentEvent[] {
  return isNothing(usage) ? [] : [{ type: 'token_usage', content: usage }]
}

/** The count of tokens written to a cache, which is absent if it is 0. */
export function cacheWrites(count: number | undefined): Pick<Usage, 'cache_write_tokens'> {
  return count === undefined || count <= 0 ? {} : { cache_write_tokens: count }
}

/** Rounded, because a difference of decimal fractions has digits that neither of them has. */
export function withoutPriorCost(sum: unknown, before: unknown): number | undefined {
  if (typeof sum !== 'number' || typeof before !== 'number') return undefined
  return Math.max(0, Math.round((sum - before) * 1e9) / 1e9)
}

function combine(a: Usage, b: Usage, count: (x: number, y: number) => number): Usage {
  return {
    ...cacheWrites(count(a.cache_write_tokens ?? 0, b.cache_write_tokens ?? 0)),
    input_tokens: count(a.input_tokens, b.input_tokens),
    output_tokens: count(a.output_tokens, b.output_tokens),
    cached_tokens: count(a.cached_tokens, b.cached_tokens),
    reasoning_tokens: count(a.reasoning_tokens, b.reasoning_tokens),
  }
}
