/** Checks an answer against the schema of its request. No agent can be relied on for that. Pure. */
import type { AgentRequest, OutputResult } from './adapter/agent.ts'
import { findMismatch } from './schema/match-schema.ts'

/** The result, failed if the agent reports success but its answer does not match. */
export function checkAnswer(output: OutputResult, { outputSchema }: Pick<AgentRequest, 'outputSchema'>): OutputResult {
  if (outputSchema === undefined || output.error !== undefined) return output
  const answer = parseAnswer(output.text)
  const problem = answer === undefined ? 'it is not JSON' : findMismatch(answer.value, outputSchema)
  if (problem === undefined) return output
  const message = `the answer does not match the schema of the request: ${problem}`
  return { ...output, error: { code: 'agent_output_invalid', message } }
}

function parseAnswer(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
