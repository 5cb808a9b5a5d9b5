/** The token counts of a reply. Agents count differently; here a count means the same for each of them. Pure. */
import { findNativeAgent } from '../agents/registry.ts'
import type { PromptResult } from './prompt-result.ts'

export type Tokens = {
  /** All tokens of the prompt, also those that were read from a cache or written to it. */
  input: number
  cacheRead: number
  cacheWrite: number
  /** All tokens that the model wrote, also those of its thinking. */
  output: number
  reasoning: number
}

/** The token counts of the agent; estimated from the number of bytes if the agent reports none. */
export function toTokens({ backend, token_usage: usage, output }: PromptResult, prompt: string): Tokens {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens: cacheWrite = 0 } = usage
  const parts = { cacheRead: cached_tokens, cacheWrite, reasoning: reasoning_tokens }
  if (input_tokens + output_tokens + cached_tokens + cacheWrite === 0) {
    return { ...parts, input: estimateTokens(prompt), output: estimateTokens(output) }
  }
  const countsApart = findNativeAgent(backend)?.countsApart ?? { cache: false, reasoning: false }
  return {
    ...parts,
    input: input_tokens + (countsApart.cache ? cached_tokens + cacheWrite : 0),
    output: output_tokens + (countsApart.reasoning ? reasoning_tokens : 0),
  }
}

const BYTES_PER_TOKEN = 4

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
