import type { Usage } from '../../agents/adapter/agent.ts'

export function totalTokens({ input_tokens: input, output_tokens: output }: Usage): number {
  return input + output
}

/** `120 in (40 cached), 30 out (10 reasoning)` */
export function formatUsage(usage: Usage): string {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, reasoning_tokens: reasoning } = usage
  return `${input} in (${cached} cached), ${output} out (${reasoning} reasoning)`
}

/** `$0.0043`, `$1.23`; undefined if the agent reported nothing. */
export function formatCost(costUsd: number | undefined): string | undefined {
  if (costUsd === undefined) return undefined
  if (costUsd < 0.0001) return '<$0.0001'
  return `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
}
