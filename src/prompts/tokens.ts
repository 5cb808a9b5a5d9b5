/** The token counts of a reply. Agents count differently; here a count means the same for each of them. Pure. */
import type { Usage } from '../agents/adapter/agent.ts'
import { findNativeAgent } from '../agents/registry.ts'
import type { PromptResult } from './prompt-result.shape.ts'

export type Tokens = {
  /** All tokens of the prompt, also those that were read from a cache or written to it. */
  input: number
  cacheRead: number
  cacheWrite: number
  /** All tokens that the model wrote, also those of its thinking. */
  output: number
  reasoning: number
}

/**
 * The token counts of the agent; estimated from the number of bytes if the agent reports none. A part of a turn that ends with calls is
 * not estimated: the last part has what the agent reports in the end.
 */
export function toTokens(result: PromptResult & { tool_calls?: unknown }, prompt: string): Tokens {
  const { backend, token_usage: usage, output, tool_calls: calls } = result
  const tokens = splitTokens(usage, backend)
  if (calls !== undefined) return tokens
  if (tokens.input + tokens.output > 0 || usage.cached_tokens + (usage.cache_write_tokens ?? 0) > 0) return tokens
  return { ...tokens, input: estimateTokens(prompt), output: estimateTokens(output) }
}

/** Some agents count the tokens of the cache, or those of thinking, apart from the others. */
export function splitTokens(usage: Usage, backend: string): Tokens {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens: cacheWrite = 0 } = usage
  const countsApart = findNativeAgent(backend)?.countsApart ?? { cache: false, reasoning: false }
  return {
    cacheRead: cached_tokens,
    cacheWrite,
    reasoning: reasoning_tokens,
    input: input_tokens + (countsApart.cache ? cached_tokens + cacheWrite : 0),
    output: output_tokens + (countsApart.reasoning ? reasoning_tokens : 0),
  }
}

export type SharedUsage = {
  /** Counted alike for each agent. Missing if the agent reported no tokens. */
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number }
}

export function sharedUsage({
  token_usage: usage,
  backend,
}: Pick<PromptResult, 'token_usage' | 'backend'>): SharedUsage {
  const { input, output } = splitTokens(usage, backend)
  if (input + output === 0) return {}
  return { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } }
}

/** All tokens of a turn, each once. */
export function countTokens(usage: Usage, backend: string): number {
  const { input, output } = splitTokens(usage, backend)
  return input + output
}

const BYTES_PER_TOKEN = 4

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
