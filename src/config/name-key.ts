import { configKeyUnknown } from './faults.ts'
import { CONFIG_KEYS, type ConfigKey, findKey, isSection, isWithin, suggestKey } from './keys.ts'
import { unsupportedReason } from './unsupported-keys.ts'

/** A key that a person named, or one entry of a map: `backends.codex.model_aliases.fast`. */
export type NamedKey = { key: ConfigKey; entry?: string; steps: readonly string[] }

/** Finds the key of a name, or throws `config_key_unknown` with what was probably meant. */
export function nameKey(name: string): NamedKey {
  const key = findKey(name)
  if (key !== undefined) return { key, steps: name.split('.') }
  const map = CONFIG_KEYS.find(
    ({ type, path }) => type === 'map' && name.startsWith(`${path}.`) && name.length > path.length + 1,
  )
  if (map === undefined) throw configKeyUnknown({ key: name, reason: explainUnknown(name) })
  const entry = name.slice(map.path.length + 1)
  return { key: map, entry, steps: [...map.path.split('.'), entry] }
}

function explainUnknown(name: string): string {
  const reason = unsupportedReason(name)
  if (reason !== undefined) return `is not supported: ${reason}`
  const first = CONFIG_KEYS.find(({ path }) => isWithin(path, name))
  if (isSection(name)) return `is a section; name one of its keys, such as ${first?.path}`
  const nearest = suggestKey(name)
  return nearest === undefined
    ? 'is not a key; drover config show lists them all'
    : `is not a key; did you mean ${nearest}?`
}
