import type { Problem } from '../kit/schema.ts'
import { parseText } from './parse-text.ts'
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
