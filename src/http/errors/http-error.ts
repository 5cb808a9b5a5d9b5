/** Turns a fault into an HTTP error: a status, headers, and a message that a client may read. */
import { Fault, type FaultKind } from '../../kit/fault.ts'
import { isRetryable } from '../../kit/retryable.ts'
import { RETRY_SECS } from '../../prompts/server-stop.ts'
import { type PublicError, toPublicError, withoutServerFiles } from '../../service/public-error.ts'
import { internalError } from './faults.ts'

/** An error as a client gets it. `error-body.ts` writes it in the format of each API. */
export type HttpError = PublicError & {
  status: number
  headers: Readonly<Record<string, string>>
}

const STATUS_OF_KIND: Readonly<Record<FaultKind, number>> = {
  usage: 400,
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
}

/** Codes whose status differs from that of their kind. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  upstream_out_of_credit: 402,
  budget_spent: 402,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  nesting_too_deep: 403,
  merge_not_permitted: 403,
  merge_unchecked: 403,
  drive_checks_required: 403,
  admin_required: 403,
  backend_not_allowed: 403,
  message_not_allowed: 403,
  session_of_another_key: 403,
  method_not_allowed: 405,
  request_timeout: 408,
  media_type_unsupported: 415,
  expectation_unsupported: 417,
  idempotency_key_reused: 422,
  headers_too_large: 431,
  // 413 is about the size of the request body. Here one of its fields is too large.
  prompt_too_large: 400,
  program_arguments_too_long: 400,
  backend_execution_failed: 500,
  upstream_auth: 502,
  backend_timeout: 504,
}

/** After a timeout (408) the connection may still carry the rest of the request. */
const CLOSING: readonly string[] = [
  'shutting_down',
  'too_many_connections',
  'too_many_connections_of_address',
  'too_many_wrong_keys',
]

/** Anything that is not a fault is a bug. The client only learns that there was one. */
export function toHttpError(error: unknown): HttpError {
  const fault = withoutServerFiles(error instanceof Fault ? error : internalError({}))
  const status = STATUS_OF_CODE[fault.code] ?? STATUS_OF_KIND[fault.kind]
  return {
    status,
    ...toPublicError(fault),
    headers: toHeaders(fault, status),
  }
}

function toHeaders(fault: Fault, status: number): Record<string, string> {
  const { allow, retryAfterSecs, agentCode } = fault.details as {
    allow?: readonly string[]
    retryAfterSecs?: number
    agentCode?: string
  }
  return {
    ...(agentCode !== undefined && { 'x-drover-error': agentCode }),
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="drover"' }),
    ...(status === 405 && { allow: (allow ?? []).join(', ') }),
    // The vendors' SDKs follow it. Otherwise they retry every 408, 409, 429 and 5xx, within seconds.
    'x-should-retry': String(isRetryable(fault.code)),
    ...((status === 429 || status === 503) && retryAfter(fault.code, retryAfterSecs)),
    ...((status === 408 || CLOSING.includes(fault.code)) && { connection: 'close' }),
  }
}

/** A usage window may reset in hours: if nobody knows when, the default would be a lie. */
function retryAfter(code: string, seconds: number | undefined): Record<string, string> {
  const known = seconds || (isRetryable(code) ? RETRY_SECS : undefined)
  return known === undefined ? {} : { 'retry-after': String(known) }
}
