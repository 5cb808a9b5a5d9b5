import type { Usage } from '../../agents/adapter/agent.ts'

export function totalTokens({ input_tokens: input, output_tokens: output }: Usage): number {
  return input + output
}

/** `120 in (40 cached), 30 out (10 reasoning)` */
export function formatUsage(usage: Usage): string {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, reasoning_tokens: reasoning } = usage
  return `${input} in (${cached} cached), ${output} out (${reasoning} reasoning)`
}

/** `$0.0043`, `$1.23`; undefined if it is not known. `~` is in front of a cost that no agent reported, or a part of it. */
export function formatCost(costUsd: number | undefined, isPriced = false): string | undefined {
  if (costUsd === undefined) return undefined
  const shown = costUsd < 0.0001 ? '<$0.0001' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
  return isPriced ? `~${shown}` : shown
}
