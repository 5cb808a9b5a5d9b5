/** Parses the text of an environment variable or of the command line into the type of its key. */
import type { ConfigKey } from './setting-keys.ts'

/** The value, or the rule it breaks. Limits are checked later, for all sources alike. */
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
      return { rule: `has named entries; set one, as in ${key.path}.NAME` }
    case 'entries':
      return { rule: 'has entries with several fields, which can only be set in the file; edit the file' }
  }
}

/**
 * Parses a list from several texts. Commas separate items if a variable can set the key; otherwise items may contain
 * commas, and each text is one item. An empty text is not an item, so that an empty list can be written.
 */
export function parseList(key: ConfigKey, texts: readonly string[]): ParsedText {
  const items = key.variables.length === 0 ? texts : texts.flatMap((text) => text.split(',')).map((item) => item.trim())
  return { value: items.filter((item) => item !== '') }
}
