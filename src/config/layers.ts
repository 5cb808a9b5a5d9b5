/** A layer is one source of configuration: the flags, the environment or the file. Layers are checked, then merged. */
import { findProblems } from '../kit/schema.ts'
import type { Config } from './config.shape.ts'
import type { ConfigProblem } from './faults.ts'
import type { Origin } from './origin.ts'
import type { SettingsTree } from './pick-settings.ts'
import { findPlainKeys } from './resolve-key.ts'
import {
  CONFIG_KEYS,
  type ConfigKey,
  type ConfigPath,
  definedBackend,
  isWithin,
  keysOfBackend,
  toKeyPath,
} from './setting-keys.ts'
import { brokenBackendRules, brokenConfigRules, brokenTextRules } from './setting-rules.ts'

export type Layer = {
  readonly values: ReadonlyMap<ConfigPath, unknown>
  /** By key, and for a file also by what is inside: `server.trusted_proxies[1]`. */
  readonly origins: ReadonlyMap<string, Origin>
}

export type Origins = Readonly<Record<ConfigPath, Origin>>

const DEFAULTS: Layer = { values: new Map(CONFIG_KEYS.map((key) => [key.path, key.default])), origins: new Map() }

/**
 * Finds every rule that the values of one layer break; reports only the first for each path. A layer other than the file
 * can change a backend, but only the file defines one.
 */
export async function checkLayer(layer: Layer, file: Layer = layer): Promise<ConfigProblem[]> {
  if (layer.values.size === 0) return []
  const { validateConfigFile } = await import('./checks.generated.js')
  const values = new Map([...(layer === file ? [] : definitionsIn(file)), ...layer.values])
  const misfits = findProblems(validateConfigFile, nest(values)).map(({ path, rule }) => ({
    path: toKeyPath(path),
    rule,
  }))
  const broken = [
    ...findPlainKeys(layer.values.get('server.keys')),
    ...brokenBackendRules(values),
    ...misfits,
    ...brokenTextRules(layer.values),
  ].filter(({ path }) => layer === file || [...layer.values.keys()].some((key) => isWithin(path, key)))
  const firstAt = broken.filter(({ path }, index) => broken.findIndex((other) => other.path === path) === index)
  return firstAt.map(({ path, rule }) => ({ key: path, rule, origin: originAt(layer, path) }))
}

/** What makes the backends of a file complete. */
function definitionsIn({ values }: Layer): [ConfigPath, unknown][] {
  return [...values].filter(([path]) => definedBackend(path) !== undefined && /\.(?:protocol|command)$/.test(path))
}

/** Merges checked layers, strongest first, into a complete configuration, and finds the rules that it breaks as a whole. */
export function mergeLayers(layers: readonly Layer[]): { config: Config; origins: Origins; problems: ConfigProblem[] } {
  const defined = [...definedIn(layers)]
  const settings = [...CONFIG_KEYS, ...defined.flatMap(keysOfBackend)].map((key) => {
    const layer = layers.find(({ values }) => values.has(key.path)) ?? DEFAULTS
    return { path: key.path, value: complete(key, layer.values.get(key.path) ?? key.default), layer }
  })
  const burst = settings.find(({ path }) => path === 'server.rate_limit_burst')
  const rate = settings.find(({ path }) => path === 'server.rate_limit_rps')
  if (burst?.value === 0) burst.value = 2 * Number(rate?.value)
  // The table of keys and the type are generated from one shape, and each value was checked against it.
  const values = [...settings.map(({ path, value }) => [path, value] as const), ...defined.flatMap(nativeOnly)]
  const config = freeze(nest(values)) as Config
  const origins = Object.fromEntries(settings.map(({ path, layer }) => [path, originAt(layer, path)])) as Origins
  const problems = brokenConfigRules(config).map(({ path, rule }) => {
    const layer = settings.find((setting) => isWithin(path, setting.path))?.layer ?? DEFAULTS
    return { key: path, rule, origin: originAt(layer, path) }
  })
  return { config, origins, problems }
}

/** The names of the backends that the layers define. */
export function definedIn(layers: readonly Layer[]): ReadonlySet<string> {
  const paths = layers.flatMap(({ values }) => [...values.keys()])
  return new Set(paths.flatMap((path) => definedBackend(path) ?? []))
}

/** What only the sections of native backends have. */
function nativeOnly(name: string): [string, unknown][] {
  const section = `backends.${name}`
  return [
    [`${section}.allowed_tools`, ''],
    [`${section}.extra_flags`, []],
    [`${section}.model_aliases`, Object.create(null)],
  ]
}

/** The origin of a path: its own, or that of the innermost section, list or key around it. */
function originAt({ origins }: Layer, path: string): Origin {
  const around = [...origins.keys()].filter((outer) => isWithin(path, outer))
  const innermost = around.reduce((best, outer) => (outer.length > best.length ? outer : best), '')
  return origins.get(innermost) ?? { from: 'default' }
}

/** For these settings, 0 means the default. */
const ZERO_IS_DEFAULT: readonly ConfigPath[] = [
  'server.read_timeout_secs',
  'server.write_timeout_secs',
  'server.idle_timeout_secs',
  'server.rate_limit_cleanup_secs',
]

/** Adds the default to lists and maps that extend it, and normalizes zeros and digests. */
function complete(key: ConfigKey, value: unknown): unknown {
  if (value === 0 && ZERO_IS_DEFAULT.includes(key.path)) return key.default
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

/** Turns `a.b: value` into `{ a: { b: value } }`, the form of the file. */
function nest(values: Iterable<readonly [string, unknown]>): SettingsTree {
  const root: Branch = {}
  for (const [path, value] of values) {
    const steps = path.split('.')
    const section = steps.slice(0, -1).reduce(branchAt, root)
    section[steps.at(-1) ?? ''] = value
  }
  return root
}

type Branch = { [name: string]: unknown }

function branchAt(parent: Branch, name: string): Branch {
  parent[name] ??= {}
  return parent[name] as Branch
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}
