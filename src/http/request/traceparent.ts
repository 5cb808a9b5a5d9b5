/**
 * The `traceparent` header of W3C Trace Context (https://www.w3.org/TR/trace-context/): version, trace id, parent id and
 * flags in lowercase hexadecimal. Later versions may append further fields; version `ff` and ids of zeros are invalid.
 */
export type Trace = { traceparent: string; traceId: string }

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[\x20-\x7e]*)?$/

/** Longer ones are nobody's trace. */
const MAX_LENGTH = 512

/** An invalid header is as good as none: it must never fail a request. */
export function readTraceparent(header: string | readonly string[] | undefined): Trace | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined
  const [, version, traceId, more] = TRACEPARENT.exec(header) ?? []
  const isValid = traceId !== undefined && (version !== '00' || more === undefined)
  return isValid ? { traceparent: header, traceId } : undefined
}
