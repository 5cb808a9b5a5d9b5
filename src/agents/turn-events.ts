/** The events that every turn begins and ends with, the check of its answer, and what its output warns of. Pure. */
import type { AgentError, AgentEvent, AgentRequest, OutputResult } from './adapter/agent.ts'
import { warnOfDenials } from './adapter/denials.ts'
import type { AgentResult } from './agent-result.ts'
import { findMismatch } from './schema/match-schema.ts'

export function warningsIn({ warnings = [], denials = [] }: OutputResult, request: AgentRequest): string[] {
  return [...warnings, ...warnOfDenials(denials, request)]
}

/** The result, failed if the agent reports success but its answer does not match the schema: no agent can be relied on for that. */
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

/** Makes `init` the first event: adds one if the agent prints none, and the model if the agent's own lacks it. */
export function createOpening({ model, workdir }: { model: string | undefined; workdir: string }) {
  const known = { ...(model !== undefined && { model }), working_dir: workdir }
  let init: Extract<AgentEvent, { type: 'init' }> | undefined
  return {
    add(events: readonly AgentEvent[]): AgentEvent[] {
      const [first, ...rest] = events
      if (init !== undefined || first === undefined) return [...events]
      init = { type: 'init', content: { ...known, ...(first.type === 'init' && first.content) } }
      return [init, ...(first.type === 'init' ? rest : events)]
    },
    /** No event has been added. */
    isEmpty: () => init === undefined,
    /** The agent's own id of its session, if it has printed one. */
    sessionId: () => init?.content.backend_session_id,
  }
}

export function closingEvents(result: AgentResult): AgentEvent[] {
  const { error, exitCode, durationMs, usage, turnCount, warnings } = result
  const done: AgentEvent = {
    type: 'done',
    content: {
      exit_code: exitCode,
      duration_ms: durationMs,
      token_usage: usage,
      ...(turnCount !== undefined && { turn_count: turnCount }),
      ...(warnings.length > 0 && { warnings }),
    },
  }
  return error === undefined ? [done] : [errorEvent(error), done]
}

function errorEvent({ code, message, upstreamStatus, retryAfterSecs }: AgentError): AgentEvent {
  const details = {
    ...(upstreamStatus !== undefined && { upstream_status: upstreamStatus }),
    ...(retryAfterSecs !== undefined && { retry_after_secs: retryAfterSecs }),
  }
  return { type: 'error', content: { code, message, ...(Object.keys(details).length > 0 && { details }) } }
}
