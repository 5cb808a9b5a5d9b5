import type { Problem } from '../kit/schema.ts'
import { type ConfigPath, findKey, isSection, placeUnder, suggestKey } from './keys.ts'
import { unsupportedReason } from './unsupported-keys.ts'

export type Tree = Readonly<Record<string, unknown>>

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sorts what a file holds into the values of keys and the places that are no keys. */
export function pickSettings(tree: Tree): { values: Map<ConfigPath, unknown>; problems: Problem[] } {
  const values = new Map<ConfigPath, unknown>()
  const problems: Problem[] = []
  for (const found of settingsIn(tree, '')) {
    if ('rule' in found) problems.push(found)
    else values.set(found.path, found.value)
  }
  return { values, problems }
}

type Found = { path: ConfigPath; value: unknown } | Problem

function settingsIn(tree: Tree, section: string): Found[] {
  return Object.entries(tree).flatMap(([name, value]) => settingsAt(placeUnder(section, name), value))
}

function settingsAt(path: string, value: unknown): Found[] {
  const key = findKey(path)
  if (key !== undefined && value === null) return [{ path, rule: 'has no value; give it one or remove it' }]
  if (key !== undefined) return [{ path: key.path, value }]
  if (!isSection(path)) return [{ path, rule: explainUnknown(path) }]
  if (isTree(value)) return settingsIn(value, path)
  // A section whose keys are all commented out is null and says nothing.
  return value === null ? [] : [{ path, rule: 'must hold keys of its own' }]
}

function explainUnknown(path: string): string {
  const reason = unsupportedReason(path)
  if (reason !== undefined) return `is not supported and must be removed: ${reason}`
  const nearest = suggestKey(path)
  return nearest === undefined ? 'is not a known key' : `is not a known key; did you mean ${nearest}?`
}
