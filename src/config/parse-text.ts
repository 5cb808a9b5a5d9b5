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
      return parseInteger(key, text)
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

function parseInteger({ unit, rule }: ConfigKey, text: string): ParsedText {
  if (/^-?\d{1,16}$/.test(text)) return { value: Number(text) }
  const bytes = unit === undefined ? undefined : parseSize(text)
  const value = bytes !== undefined && unit === 'megabytes' ? bytes / SIZES.M : bytes
  if (value !== undefined && Number.isInteger(value)) return { value }
  return { rule: `must be an integer, ${rule}` }
}

const SIZES = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }

/** `512K`, `2M`, `1GB` and `2MiB` in bytes. */
function parseSize(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([KMG])(?:i?B)?$/i.exec(text) ?? []
  return unit === undefined ? undefined : Number(count) * SIZES[unit.toUpperCase() as keyof typeof SIZES]
}

/**
 * Parses a list from several texts. Commas separate items if a variable can set the key; otherwise items may contain
 * commas, and each text is one item. An empty text is not an item, so that an empty list can be written.
 */
export function parseList(key: ConfigKey, texts: readonly string[]): ParsedText {
  const items = key.variables.length === 0 ? texts : texts.flatMap((text) => text.split(',')).map((item) => item.trim())
  return { value: items.filter((item) => item !== '') }
}
