import type { AgentFailure } from '../../../../src/agents/adapter/failure.ts'
import { countAt, type JsonObject, objectAt, textAt } from '../../../../src/agents/adapter/json-fields.ts'
import { NOT_ASKED, unwrapApiError } from '../../../../src/agents/gemini/result.ts'

/** `gemini --acp` answers with the HTTP status, with 500 if there is none, or with what JSON-RPC has for errors. */
export function failureOfRequest(error: JsonObject): AgentFailure {
  const [line] = (textAt(objectAt(error, 'data'), 'details') ?? '').split('\n')
  const failure = unwrapApiError(line || textAt(error, 'message') || 'gemini refuses the request')
  const code = countAt(error, 'code')
  return { ...failure, status: failure.status ?? (code === 500 ? undefined : code) }
}

const STOPS: Readonly<Record<string, AgentFailure>> = {
  cancelled: { code: 'agent_ended_early', message: 'gemini was interrupted' },
  max_turn_requests: { code: 'agent_max_turns', message: 'gemini used up its turns, or repeated itself' },
  max_tokens: NOT_ASKED,
}

/** Why a turn of `gemini --acp` stopped, unless it was complete. */
export function failureOfStop(reason = 'nothing said'): AgentFailure {
  const known = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined
  return known ?? { message: `gemini stopped (${reason})` }
}
