import type { Usage } from '../../agents/adapter/agent.ts'

export function totalTokens({ input_tokens: input, output_tokens: output }: Usage): number {
  return input + output
}

/** `120 in (40 cached), 30 out (10 reasoning)` */
export function formatUsage(usage: Usage): string {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, reasoning_tokens: reasoning } = usage
  return `${input} in (${cached} cached), ${output} out (${reasoning} reasoning)`
}
