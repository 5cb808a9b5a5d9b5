/** The configuration as `drover config show` prints it. */

import type { Origin } from './origin.ts'
import { isTree, type SettingsTree } from './pick-settings.ts'
import type { LoadedConfig } from './read-config.ts'
import { resolveKey } from './resolve-key.ts'
import { CONFIG_KEYS, type ConfigKey, findKey } from './setting-keys.ts'

/** One key with its value; secrets are masked. */
export type ShownSetting = { key: string; value: unknown; origin: Origin; isMasked: boolean }

const MASK = '********'

export function showConfig(reading: LoadedConfig): ShownSetting[] {
  return listAllKeys(reading).map((key) => show(key, reading))
}

/** All keys, also those of backends that the file defines. */
function listAllKeys({ origins }: LoadedConfig): ConfigKey[] {
  const fixed = new Set<string>(CONFIG_KEYS.map((key) => key.path))
  const more = Object.keys(origins).filter((path) => !fixed.has(path))
  return [...CONFIG_KEYS, ...more.flatMap((path) => findKey(path) ?? [])]
}

/** One key, or one entry of a map; the value is undefined if the map has no such entry. */
export function showSetting(reading: LoadedConfig, name: string): ShownSetting {
  const { key, entry } = resolveKey(name)
  const shown = show(key, reading)
  if (entry === undefined) return shown
  return { ...shown, key: name, value: (shown.value as SettingsTree | undefined)?.[entry] }
}

function show(key: ConfigKey, { config, origins }: LoadedConfig): ShownSetting {
  const value = key.path.split('.').reduce((part: unknown, step) => (part as SettingsTree | undefined)?.[step], config)
  const origin = origins[key.path] ?? { from: 'default' }
  return { key: key.path, ...maskSecrets(key, value), origin }
}

/** A value as it may be shown. `name` is a key, or an entry of a map. */
export function maskSetting(name: string, value: unknown): unknown {
  const { key, entry } = resolveKey(name)
  if (entry === undefined) return maskSecrets(key, value).value
  return (maskSecrets(key, { [entry]: value }).value as SettingsTree)[entry]
}

function maskSecrets({ secrets = [], isSecret }: ConfigKey, value: unknown) {
  if (typeof value === 'string' && isSecret) {
    const shown = maskPassword(value)
    return { value: shown, isMasked: shown !== value }
  }
  if (isSecret) return { value: maskValues(value as SettingsTree | undefined), isMasked: true }
  const isMasked = secrets.length > 0
  return { value: isMasked ? mask(value as SettingsTree[], secrets) : value, isMasked }
}

/** Up to the last `@`, because a password may contain an `@` or a `?`. libpq accepts a password in the query too. */
function maskPassword(address: string): string {
  return address
    .replace(/^([a-z]+:\/\/[^:@/?]*):.*@/, `$1:${MASK}@`)
    .replace(/([?&](?:ssl)?password=)[^&]*/g, `$1${MASK}`)
}

function maskValues(map: SettingsTree = {}): SettingsTree {
  return Object.fromEntries(Object.keys(map).map((name) => [name, MASK]))
}

function mask(entries: readonly SettingsTree[], secrets: readonly string[]): SettingsTree[] {
  const hide = (value: unknown) => (isTree(value) ? maskValues(value) : MASK)
  return entries.map((entry) =>
    Object.fromEntries(
      Object.entries(entry).map(([field, value]) => [field, secrets.includes(field) ? hide(value) : value]),
    ),
  )
}

/** A value on one line. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (isTree(item) ? JSON.stringify(item) : String(item))).join(', ')
  if (!isTree(value)) return String(value ?? '')
  return Object.entries(value)
    .map(([name, part]) => `${name}=${part}`)
    .join(', ')
}
