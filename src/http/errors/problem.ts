/** How the compatible APIs say no: RFC 7807 problem details, with the vendor's own error beside them for its SDK. */
import type { Refusal } from './http-error.ts'

type Problem = { type: string; title: string; status: number; detail: string; error: object }

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8'

/** Codes whose problem type has a name of its own. */
const TYPE_NAMES: Readonly<Record<string, string>> = { too_many_requests: 'rate-limited' }

/** RFC 7807 with `error` as the SDKs of the chat-completion API read it. */
export function chatProblem(refusal: Refusal, errorsBase: string): Problem {
  return { ...problem(refusal, errorsBase), error: chatError(refusal) }
}

/** The vendor's own part, which is all there is of an error in the middle of a stream. */
export function chatError(refusal: Refusal) {
  const { status, code, message } = refusal
  return { message, type: chatErrorType(status), code, param: paramOf(refusal) }
}

/** RFC 7807 with `error` as the SDKs of the message API read it. */
export function messageProblem(refusal: Refusal, errorsBase: string): Problem {
  return { ...problem(refusal, errorsBase), error: messageError(refusal) }
}

export function messageError({ status, message }: Refusal) {
  return { type: messageErrorType(status), message }
}

function problem({ code, status, message }: Refusal, errorsBase: string): Omit<Problem, 'error'> {
  const name = TYPE_NAMES[code] ?? code.replaceAll('_', '-')
  return { type: `${errorsBase}/${name}`, title: titleOf(name), status, detail: message }
}

/** `backend-not-found` is "Backend Not Found". */
function titleOf(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase())
}

function chatErrorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

const MESSAGE_ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
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

/** The field that is to blame: `messages[0].content`. */
function paramOf({ details }: Refusal): string | null {
  const { problems, place } = (details ?? {}) as { problems?: readonly { path: string }[]; place?: unknown }
  if (typeof place === 'string') return place
  return problems?.[0]?.path.replace(/^\$\.?/, '') || null
}
