/** The edge where a fault becomes a status, headers and words that a client may read. */
import { Fault, type FaultKind } from '../../kit/fault.ts'
import { internalError, serverTrouble } from './faults.ts'
import { toWireNames } from './wire-names.ts'

/** A refusal as it goes over the wire, in whichever style. */
export type Refusal = {
  status: number
  code: string
  message: string
  details?: unknown
  headers: Readonly<Record<string, string>>
}

const BY_KIND: Readonly<Record<FaultKind, number>> = {
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

/** Where the kind says too little. */
const BY_CODE: Readonly<Record<string, number>> = {
  host_not_allowed: 403,
  origin_not_allowed: 403,
  method_not_allowed: 405,
  request_timeout: 408,
  media_type_unsupported: 415,
  expectation_unsupported: 417,
  headers_too_large: 431,
  // The body was not too large, what is in it was.
  prompt_too_large: 400,
  program_arguments_too_long: 400,
  backend_execution_failed: 500,
  backend_timeout: 504,
}

/** What clients need not tell apart goes over the wire under one code. */
const WIRE_CODES: Readonly<Record<string, string>> = {
  json_invalid: 'invalid_request',
  message_invalid: 'invalid_request',
}

const NOT_TO_BE_REPEATED: readonly string[] = ['backend_execution_failed', 'backend_timeout']

/** For those who do not say it themselves. */
const RETRY_SECS = 5

/** Anything that is not a fault is a bug of ours, of which the client learns nothing but that. */
export function toRefusal(error: unknown): Refusal {
  const fault = error instanceof Fault ? error : internalError({})
  if (isOurAffair(fault)) return toRefusal(serverTrouble({}))
  const status = BY_CODE[fault.code] ?? BY_KIND[fault.kind]
  return {
    status,
    code: WIRE_CODES[fault.code] ?? fault.code,
    message: fault.message,
    ...(tellsDetails(fault) && { details: toWireNames(fault.details) }),
    headers: headersOf(fault, status),
  }
}

/** Files of the server that cannot be read are the operator's concern; their paths are no client's. */
function isOurAffair({ kind, details }: Fault): boolean {
  return kind === 'unavailable' && typeof details === 'object' && details !== null && 'path' in details
}

function tellsDetails({ kind, details }: Fault): boolean {
  if (kind === 'unauthorized' || kind === 'internal') return false
  return typeof details === 'object' && details !== null && Object.keys(details).length > 0
}

function headersOf(fault: Fault, status: number): Record<string, string> {
  const { allow, retryAfterSecs } = fault.details as { allow?: readonly string[]; retryAfterSecs?: number }
  return {
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="drover"' }),
    ...(status === 405 && { allow: (allow ?? []).join(', ') }),
    // The vendors' SDKs would run a failed prompt again, and each run costs.
    ...(NOT_TO_BE_REPEATED.includes(fault.code) && { 'x-should-retry': 'false' }),
    ...((status === 429 || status === 503) && { 'retry-after': String(retryAfterSecs ?? RETRY_SECS) }),
    // Whatever else comes on this connection is the rest of something that was given up, or comes too late.
    ...((status === 408 || fault.code === 'shutting_down') && { connection: 'close' }),
  }
}
