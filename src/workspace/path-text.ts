import { isUtf8 } from 'node:buffer'

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** Everything except printable ASCII, and the quote and backslash, which have a meaning inside quotes. */
const NOT_PRINTABLE = /[^ !#-[\]-~]/g

/**
 * The text of a path in messages. A path may be any bytes, but a message is UTF-8: a path that is not UTF-8 is written in
 * double quotes with escapes, as git does. So is a path that starts with a double quote, so that no two paths have the same
 * text.
 */
export function toPathText(bytes: Buffer): string {
  if (isUtf8(bytes) && bytes[0] !== 0x22) return bytes.toString('utf8')
  return `"${bytes.toString('latin1').replace(NOT_PRINTABLE, escapeByte)}"`
}

function escapeByte(byte: string): string {
  return ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
}
