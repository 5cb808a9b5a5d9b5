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

/** All but the printable characters of ASCII, of which the quote and the backslash mean something inside quotes. */
const NOT_PRINTABLE = /[^ !#-[\]-~]/g

/**
 * The text by which messages name a path. A name may be any bytes, a message is UTF-8: what is not UTF-8 is written in
 * double quotes with escapes, as git itself shows it. So is a name that begins with a double quote, that no two paths
 * have the same text.
 */
export function toPathText(bytes: Buffer): string {
  if (isUtf8(bytes) && bytes[0] !== 0x22) return bytes.toString('utf8')
  return `"${bytes.toString('latin1').replace(NOT_PRINTABLE, escapeByte)}"`
}

function escapeByte(byte: string): string {
  return ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
}
