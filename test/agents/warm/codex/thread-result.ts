/** Reads the frames of `codex app-server` about the end of a turn and about retries. */
import type { AgentFailure, FailureCode } from '../../../../src/agents/adapter/failure.ts'
import { countAt, isObject, type JsonObject, objectAt, textAt } from '../../../../src/agents/adapter/json-fields.ts'

/** How a turn ended; undefined if it failed and does not say why. */
export function outcomeOf(turn: JsonObject | undefined): 'success' | AgentFailure | undefined {
  const status = textAt(turn, 'status')
  if (status === 'completed') return 'success'
  if (status === 'interrupted') return { code: 'agent_ended_early', message: 'codex was interrupted' }
  return failureOf(objectAt(turn, 'error'))
}

const KINDS: Readonly<Record<string, FailureCode>> = {
  unauthorized: 'agent_auth_failed',
  usageLimitExceeded: 'agent_rate_limited',
  rateLimitExceeded: 'agent_rate_limited',
  serverOverloaded: 'agent_overloaded',
  internalServerError: 'agent_service_failed',
}

/** An error has a message, and often the kind of error or an HTTP status. */
export function failureOf(error: JsonObject | undefined): AgentFailure | undefined {
  const message = textAt(error, 'message')
  if (!message?.trim()) return undefined
  const kind = textAt(error, 'codexErrorInfo') ?? ''
  return { message, code: Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined, status: statusOf(error) }
}

/** `{"httpConnectionFailed":{"httpStatusCode":401}}`; there are several names for the outer one. */
function statusOf(error: JsonObject | undefined): number | undefined {
  const kinds = Object.values(objectAt(error, 'codexErrorInfo') ?? {}).filter(isObject)
  return kinds.map((kind) => countAt(kind, 'httpStatusCode')).find((status) => status !== undefined)
}

/** As `codex exec` formats it. */
export function formatRetry(error: JsonObject | undefined): string {
  const [message, details] = [textAt(error, 'message') ?? '', textAt(error, 'additionalDetails')]
  return details === undefined ? message : `${message} (${details})`
}

/** What is to be allowed, and why: the command, or the kind of item that is in the name of the request. */
export function formatApproval(method: string, params: JsonObject): string {
  const what = textAt(params, 'command') ?? method.split('/')[1]
  return [what, textAt(params, 'reason')].filter(Boolean).join(': ')
}
