import type { Usage } from '../../src/demo/demo-answer.ts'

export const NO_USAGE: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  }
}
