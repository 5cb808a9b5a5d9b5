import type { PromptResult } from '../../prompts/prompt-result.ts'

export type Tokens = { input: number; output: number }

const BYTES_PER_TOKEN = 4

/** As the agent counted, or a quarter of the bytes where it did not. */
export function tokensOf({ token_usage: usage, output }: PromptResult, prompt: string): Tokens {
  const { input_tokens: input, output_tokens: generated } = usage
  if (input > 0 || generated > 0) return { input, output: generated }
  return { input: estimate(prompt), output: estimate(output) }
}

function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
