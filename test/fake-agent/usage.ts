import type { DemoUsage } from '../../src/demo/demo-answer.ts'

export const NO_USAGE: DemoUsage = { input: 0, cached: 0, output: 0, reasoning: 0 }

export function addUsage(a: DemoUsage, b: DemoUsage): DemoUsage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  }
}
