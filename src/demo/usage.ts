/** Token counts of one turn. `input` includes `cached`. */
export type Usage = { input: number; cached: number; output: number; reasoning: number }

export const NO_USAGE: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  }
}

/** A rough count, good enough to look like one: four characters to a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
