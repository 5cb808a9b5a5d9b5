/**
 * The body of an error response, in the format of the API that was called. The native API has its own format. The
 * compatible APIs send problem details (RFC 7807), with the vendor's own error object beside them for its SDK. With
 * `server.vendor_errors` they send the vendor's object alone.
 */
import type { ApiStyle } from './api-style.ts'
import type { HttpError } from './http-error.ts'

type Problem = { type: string; title: string; status: number; detail: string; error: object; budget?: unknown }

const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8'

const JSON_MEDIA_TYPE = 'application/json; charset=utf-8'

export type ErrorFormat = {
  style: ApiStyle
  errorsBase: string
  /** The compatible APIs send exactly what the vendor sends, without problem details. */
  isVendorOnly?: boolean
  requestId?: string
}

export function toErrorBody(error: HttpError, format: ErrorFormat): { contentType: string; body: object } {
  const { style, errorsBase, isVendorOnly = false } = format
  if (style === 'native') return { contentType: JSON_MEDIA_TYPE, body: nativeError(error) }
  if (isVendorOnly) return { contentType: JSON_MEDIA_TYPE, body: vendorError(error, format) }
  const body = style === 'chat' ? chatProblem(error, errorsBase) : messageProblem(error, errorsBase)
  return { contentType: PROBLEM_MEDIA_TYPE, body }
}

function nativeError({ code, message, retryable, details }: HttpError): object {
  return { error: code, message, retryable, ...(details !== undefined && { details }) }
}

function vendorError(error: HttpError, { style, requestId }: ErrorFormat): object {
  if (style === 'chat') return { error: vendorChatError(error) }
  return { type: 'error', error: vendorMessageError(error), request_id: requestId ?? null }
}

function chatProblem(error: HttpError, errorsBase: string): Problem {
  return { ...toProblem(error, errorsBase), error: chatError(error) }
}

/** The error object of the chat completion API. In a stream that has begun it is sent without problem details. */
export function chatError(error: HttpError, isVendorOnly = false) {
  return { ...vendorChatError(error), ...(!isVendorOnly && agentError(error)) }
}

function vendorChatError(error: HttpError) {
  const { status, code, message } = error
  return { message, type: chatErrorType(status), code, param: invalidField(error) }
}

function messageProblem(error: HttpError, errorsBase: string): Problem {
  return { ...toProblem(error, errorsBase), error: messageError(error) }
}

/** How the agent failed, for SDKs that hide the headers of an error. */
export function agentError({ headers }: { readonly headers?: HttpError['headers'] }) {
  const code = headers?.['x-drover-error']
  return code === undefined ? {} : { agent_error: code }
}

/** The error object of the message API. In a stream that has begun it is sent without problem details. */
export function messageError(error: HttpError, isVendorOnly = false) {
  return { ...vendorMessageError(error), ...(!isVendorOnly && { code: error.code, ...agentError(error) }) }
}

function vendorMessageError({ status, message }: HttpError) {
  return { type: messageErrorType(status), message }
}

/** Codes whose problem type has another name. */
const PROBLEM_NAMES: Readonly<Record<string, string>> = { too_many_requests: 'rate-limited' }

function toProblem({ code, status, message, details }: HttpError, errorsBase: string): Omit<Problem, 'error'> {
  const name = PROBLEM_NAMES[code] ?? code.replaceAll('_', '-')
  // What a budget allows is a part of its problem, in an extension member.
  const budget = code.startsWith('budget_') ? { budget: details } : {}
  return { type: `${errorsBase}/${name}`, title: toTitle(name), status, detail: message, ...budget }
}

/** `backend-not-found` becomes "Backend Not Found". */
function toTitle(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase())
}

function chatErrorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'insufficient_quota'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

const MESSAGE_ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

function messageErrorType(status: number): string {
  return MESSAGE_ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}

/** The path of the invalid field, such as `messages[0].content`. */
function invalidField({ details }: HttpError): string | null {
  const { problems, place } = (details ?? {}) as { problems?: readonly { path: string }[]; place?: unknown }
  if (typeof place === 'string') return place
  return problems?.[0]?.path.replace(/^\$\.?/, '') || null
}
