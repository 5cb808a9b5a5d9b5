import type { Config } from './config.shape.ts'
import type { ConfigProblem } from './faults.ts'
import { CONFIG_KEYS, type ConfigKey, type ConfigPath, isWithin } from './keys.ts'
import { type Layer, nest, originAt } from './layer.ts'
import type { Origin } from './origin.ts'
import { brokenConfigRules } from './rules.ts'

export type Origins = Readonly<Record<ConfigPath, Origin>>

/** Makes one complete configuration of checked layers, the strongest first, and finds the rules it breaks as a whole. */
export function settle(layers: readonly Layer[]): { config: Config; origins: Origins; problems: ConfigProblem[] } {
  const settled = CONFIG_KEYS.map((key) => {
    const layer = layers.find(({ values }) => values.has(key.path)) ?? DEFAULTS
    return { path: key.path, value: complete(key, layer.values.get(key.path)), layer }
  })
  // The table of keys and the type come from one shape, and each value was checked against it.
  const config = freeze(nest(settled.map(({ path, value }) => [path, value]))) as Config
  const origins = Object.fromEntries(settled.map(({ path, layer }) => [path, originAt(layer, path)])) as Origins
  const problems = brokenConfigRules(config).map(({ path, rule }) => {
    const layer = settled.find((one) => isWithin(path, one.path))?.layer ?? DEFAULTS
    return { key: path, rule, origin: originAt(layer, path) }
  })
  return { config, origins, problems }
}

const DEFAULTS: Layer = { values: new Map(CONFIG_KEYS.map((key) => [key.path, key.default])), places: new Map() }

/** A value as the program wants it: with the default's part of lists and maps that add to it, digests in one spelling. */
function complete(key: ConfigKey, value: unknown): unknown {
  if (key.isUnited === true) return [...new Set([...(key.default as string[]), ...(value as string[])])]
  // Without a prototype, so that a model called "constructor" finds nothing.
  if (key.type === 'map') return Object.assign(Object.create(null), key.default, value)
  if (key.path === 'server.keys') return (value as ServerKey[]).map(withFullDigest)
  return value
}

type ServerKey = Config['server']['keys'][number]

function withFullDigest(key: ServerKey): ServerKey {
  return { ...key, sha256: `sha256:${key.sha256.toLowerCase().replace('sha256:', '')}` }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}
