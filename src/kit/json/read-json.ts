/**
 * Reads all JSON that comes from outside. It accepts a JSON text as defined by RFC 8259 and refuses, in this order: bytes
 * over the limit; bytes that are not UTF-8; a byte order mark; an empty text; then, at the first position where one
 * occurs, a syntax error, a duplicate key, a lone surrogate, nesting deeper than `MAX_JSON_DEPTH` or a number beyond the
 * range of a double; then anything but white space after the value; then, unless `numbers` is `any`, a number with a
 * fraction or an exponent. It runs in linear time.
 */
import { isUtf8 } from 'node:buffer'
import { type JsonReason, jsonInvalid } from '../faults.ts'
import type { JsonValue } from '../json-value.ts'
import { parsePlainJson } from './plain-json.ts'
import { parseStrictJson } from './strict-json.ts'

const BYTE_ORDER_MARK = 0xfeff

export type ReadJsonOptions = {
  /** The name of the input at the start of an error message: `outcome`, `the file /tmp/envelope.json`. */
  input: string
  limitBytes: number
  /** `integers`, the default, also refuses `1.0` and `1e0`, which cannot be distinguished from 1 after parsing. */
  numbers?: 'integers' | 'any'
}

/** Reads one JSON value, or throws `json_invalid` for the first broken rule. */
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
