import { orUndefined } from '../kit/fault.ts'
import type { Problem } from '../kit/schema.ts'
import { explainUnknownKey } from './resolve-key.ts'
import { type ConfigKey, type ConfigPath, definedBackend, findKey, isSection, pathUnder } from './setting-keys.ts'

export type SettingsTree = Readonly<Record<string, unknown>>

export function isTree(value: unknown): value is SettingsTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Separates the content of a file into values of known keys and problems with everything else. */
export function pickSettings(tree: SettingsTree): { values: Map<ConfigPath, unknown>; problems: Problem[] } {
  const values = new Map<ConfigPath, unknown>()
  const problems: Problem[] = []
  for (const found of settingsIn(tree, '')) {
    if ('rule' in found) problems.push(found)
    else values.set(found.path, found.value)
  }
  return { values, problems }
}

type Found = { path: ConfigPath; value: unknown } | Problem

function settingsIn(tree: SettingsTree, section: string): Found[] {
  return Object.entries(tree).flatMap(([name, value]) => settingsAt(pathUnder(section, name), value))
}

function settingsAt(path: string, value: unknown): Found[] {
  const key = findKey(path)
  if (key !== undefined && value === null) return [{ path, rule: 'has no value; set it or remove the key' }]
  if (key !== undefined) return [{ path: key.path, value: toSize(key, value) }]
  if (!isSection(path)) return [{ path, rule: explainUnknownKey(path) }]
  if (definedBackend(path) !== undefined && isEmpty(value)) return [{ path, rule: 'needs protocol: acp and a command' }]
  if (isTree(value)) return settingsIn(value, path)
  // A section whose keys are all commented out is null.
  return value === null ? [] : [{ path, rule: 'is a section and must contain keys' }]
}

/** A size may be written as `2M`. Other texts are left to the check of the key. */
function toSize(key: ConfigKey, value: unknown): unknown {
  if (key.unit === undefined || typeof value !== 'string') return value
  const parsed = parseText(key, value)
  return 'value' in parsed ? parsed.value : value
}

function isEmpty(value: unknown): boolean {
  return value === null || (isTree(value) && Object.keys(value).length === 0)
}

/** The value, or the rule it breaks. Limits are checked later, for all sources alike. */
export type ParsedText = { value: unknown } | { rule: string }

const TRUE = ['true', 'yes', 'on', '1']
const FALSE = ['false', 'no', 'off', '0']

/** Parses the text of an environment variable or of the command line into the type of its key. */
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
      return { rule: 'has entries with several fields: write them into the file that "drover config path" names' }
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
 * commas, and each text is one item. An empty text is not an item, so that an empty list can be written. A single text may
 * be a list in JSON.
 */
export function parseList(key: ConfigKey, texts: readonly string[]): ParsedText {
  const [text = ''] = texts
  if (texts.length === 1 && /^\[("|\]$)/.test(text.trim())) return parseJsonList(text)
  const items = key.variables.length === 0 ? texts : texts.flatMap((text) => text.split(',')).map((item) => item.trim())
  return { value: items.filter((item) => item !== '') }
}

function parseJsonList(text: string): ParsedText {
  const list = orUndefined<unknown>(() => JSON.parse(text))
  const isList = Array.isArray(list) && list.every((item) => typeof item === 'string')
  return isList ? { value: list } : { rule: 'must be a list of texts in JSON, or texts one after another' }
}
