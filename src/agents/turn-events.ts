/** The events that every turn begins and ends with, and what its output warns of. Pure. */
import type { AgentError, AgentEvent, AgentRequest, OutputResult } from './adapter/agent.ts'
import { warnOfDenials } from './adapter/denials.ts'
import type { AgentResult } from './agent-result.ts'

export function warningsIn({ warnings = [], denials = [] }: OutputResult, request: AgentRequest): string[] {
  return [...warnings, ...warnOfDenials(denials, request)]
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
