/** Values given as text, by an environment variable or on the command line, in the type of their key. */
import type { ConfigKey } from './keys.ts'

/** The value, or what it must be. Limits are left to the check that all values go through. */
export type ParsedText = { value: unknown } | { rule: string }

const TRUE = ['true', 'yes', 'on', '1']
const FALSE = ['false', 'no', 'off', '0']

export function parseText(key: ConfigKey, text: string): ParsedText {
  switch (key.type) {
    case 'string':
    case 'enum':
      return { value: text }
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? { value: Number(text) } : { rule: `must be an integer, ${key.rule}` }
    case 'boolean':
      if (TRUE.includes(text.toLowerCase())) return { value: true }
      return FALSE.includes(text.toLowerCase()) ? { value: false } : { rule: 'must be true or false' }
    case 'list':
      return parseList(key, [text])
    case 'map':
      return { rule: `holds named entries; name one, as in ${key.path}.NAME` }
    case 'entries':
      return { rule: 'holds entries of several fields, which only the file can say; write them there' }
  }
}

/**
 * A list out of several texts. Commas separate items where a variable can hold the list; where items may have commas
 * in them, each text is one item. An empty text is no item, so that the empty list can be said too.
 */
export function parseList(key: ConfigKey, texts: readonly string[]): ParsedText {
  const items = key.variables.length === 0 ? texts : texts.flatMap((text) => text.split(',')).map((item) => item.trim())
  return { value: items.filter((item) => item !== '') }
}
