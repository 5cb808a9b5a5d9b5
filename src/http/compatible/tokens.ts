/** The token counts of a reply, in the meaning of the API that answers. Pure. */
import type { PromptResult } from '../../prompts/prompt-result.ts'

export type Tokens = { input: number; output: number }

const BYTES_PER_TOKEN = 4

/** The token counts of the agent; estimated from the number of bytes if the agent reports none. */
export function tokensOf({ token_usage: usage, output }: PromptResult, prompt: string): Tokens {
  const { input_tokens: input, output_tokens: generated } = usage
  if (input > 0 || generated > 0) return { input, output: generated }
  return { input: estimateTokens(prompt), output: estimateTokens(output) }
}

function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
