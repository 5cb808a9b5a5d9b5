/**
 * The one reader of JSON that comes from outside. It takes what RFC 8259 calls a JSON text and refuses, in this order:
 * bytes over the limit, bytes that are not UTF-8, a byte order mark, an empty text, and then, at the first place in the
 * text where one occurs, wrong syntax, a key that its object already has, half a surrogate pair, nesting deeper than
 * `MAX_JSON_DEPTH`, a number beyond the range of a double; then anything but white space behind the value; then, unless
 * any number will do, a number with a fraction or an exponent. Time is linear in the size.
 */
import { isUtf8 } from 'node:buffer'
import { type JsonReason, jsonInvalid } from '../faults.ts'
import type { JsonValue } from './json-value.ts'
import { parsePlainJson } from './plain-json.ts'
import { parseStrictJson } from './strict-json.ts'

const BYTE_ORDER_MARK = 0xfeff

export type ReadJsonOptions = {
  /** What the bytes are, to begin a refusal with: `outcome`, `the file /tmp/envelope.json`. */
  input: string
  limitBytes: number
  /** `integers`, the default, also refuses `1.0` and `1e0`: once they are values nobody can tell them from 1. */
  numbers?: 'integers' | 'any'
}

/** Reads one JSON value, or throws `json_invalid` with the first rule that is broken. */
export function readJson(bytes: Uint8Array, options: ReadJsonOptions): JsonValue {
  const text = decodeText(bytes, options)
  const { input, numbers = 'integers' } = options
  return parsePlainJson(text) ?? parseStrictJson(text, { input, numbers })
}

function decodeText(bytes: Uint8Array, options: ReadJsonOptions): string {
  const { input, limitBytes } = options
  const refusal = (reason: JsonReason, problem: string) => jsonInvalid({ input, reason, problem })
  if (bytes.length > limitBytes) {
    throw refusal('too_large', `it has ${bytes.length} bytes and may have at most ${limitBytes}`)
  }
  if (!isUtf8(bytes)) throw refusal('not_utf8', 'it is not UTF-8 text; save it as UTF-8')
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    throw refusal('byte_order_mark', 'it starts with a byte order mark; save it as UTF-8 without one')
  }
  if (text.trim() === '') throw refusal('empty', 'it is empty; one JSON value is expected')
  return text
}
