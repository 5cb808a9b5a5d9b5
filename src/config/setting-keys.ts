/** The table of configuration keys, and lookups in it. */
import { nearestWord } from '../kit/match-names.ts'
import { formatPath } from '../kit/schema.ts'
import { ACP_KEYS, type ConfigPath, KEYS } from './keys.generated.js'

/** The type of a value. `entries` is a list of objects, which only the file can hold. */
export type KeyType = 'string' | 'integer' | 'boolean' | 'enum' | 'list' | 'map' | 'entries'

export type ConfigKey = {
  readonly path: ConfigPath
  readonly type: KeyType
  readonly default: unknown
  /** The environment variables that set it, its regular name first. */
  readonly variables: readonly string[]
  /** The values of an enum. */
  readonly allowed?: readonly string[]
  /** The range of an integer. */
  readonly minimum?: number
  readonly maximum?: number
  /** The allowed values, in words. */
  readonly rule: string
  readonly description: string
  /** It is a size: what its number counts. A text such as `2M` is allowed too. */
  readonly unit?: 'bytes' | 'megabytes'
  /** When a running server uses a new value. Without it, after a restart. */
  readonly applies?: 'at_once' | 'command_line'
  /** Entries add to the default instead of replacing it. */
  readonly isUnited?: true
  /** Its values are masked in output. */
  readonly isSecret?: true
  /** The fields of its entries that are masked in output. */
  readonly secrets?: readonly string[]
}

export type { ConfigPath }

export const CONFIG_KEYS: readonly ConfigKey[] = KEYS

const byPath: ReadonlyMap<string, ConfigKey> = new Map(CONFIG_KEYS.map((key) => [key.path, key]))

const sections: ReadonlySet<string> = new Set(CONFIG_KEYS.flatMap((key) => listParents(key.path)))

/** `backends.NAME` and what is inside. Any other name than that of a native backend is one that the file defines. */
const BACKEND_PATH = /^backends\.([a-z][a-z0-9-]{0,31})(?:\.(.+))?$/

/** The name of a backend that the file defines, if the path is in its section. */
export function definedBackend(path: string): string | undefined {
  const [, name] = BACKEND_PATH.exec(path) ?? []
  return name === undefined || sections.has(`backends.${name}`) ? undefined : name
}

/** The keys of a backend that the file defines. The names of variables have `_` for the hyphens in its name. */
export function keysOfBackend(name: string): ConfigKey[] {
  const word = `_${name.toUpperCase().replaceAll('-', '_')}_`
  return ACP_KEYS.map((key) => ({
    ...key,
    path: key.path.replace('NAME', name) as ConfigPath,
    variables: key.variables.map((variable) => variable.replace('_NAME_', word)),
  }))
}

function keysAround(path: string): readonly ConfigKey[] {
  const name = definedBackend(path)
  return name === undefined ? CONFIG_KEYS : keysOfBackend(name)
}

export function findKey(path: string): ConfigKey | undefined {
  return byPath.get(path) ?? keysAround(path).find((key) => key.path === path)
}

/** The map that a path is an entry of. */
export function findMap(path: string): ConfigKey | undefined {
  return keysAround(path).find(({ type, path: map }) => type === 'map' && path.startsWith(`${map}.`))
}

export function isSection(path: string): boolean {
  const name = definedBackend(path)
  return sections.has(path) || (name !== undefined && path === `backends.${name}`)
}

/** Whether a path equals another or is inside it: `server.trusted_proxies[1]` is within `server.trusted_proxies`. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || (path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length)))
}

/** The path of a name in a section. A name with special characters is quoted, so that it cannot look like a key. */
export function pathUnder(section: string, name: string): string {
  const step = formatPath({}, [name]).slice(1)
  return section === '' && step.startsWith('.') ? name : withPlainBackend(`${section}${step}`)
}

/** The path of a key in the words of a validator, which begins with `$`. */
export function toKeyPath(path: string): string {
  return withPlainBackend(path.replace(/^\$\.?/, ''))
}

/** The name of a backend may have hyphens, and is not quoted. */
function withPlainBackend(path: string): string {
  return path.replace(/^backends\["([a-z][a-z0-9-]{0,31})"\]/, 'backends.$1')
}

/** Longer names are not typos, and comparing them would be slow. */
const LONGEST_TYPO = 100

/** The key or section that was probably meant: one with a similar name, or with a similar last word in another section. */
export function suggestKey(path: string): string | undefined {
  if (path.length > LONGEST_TYPO) return undefined
  const bare = path.replace(/[^\w.-]/g, '')
  const known = [...byPath.keys(), ...keysAround(bare).map((key) => key.path), ...sections]
  const similar = nearestWord(
    bare,
    known.filter((other) => hasSimilarSteps(bare, other)),
  )
  return similar ?? suggestByLastStep(path)
}

/** A long section does not make another key in it similar: `server.mode` is not a misspelled `server.host`. */
function hasSimilarSteps(path: string, other: string): boolean {
  const [steps, others] = [path.split('.'), other.split('.')]
  if (steps.length !== others.length) return false
  return steps.every((step, at) => step === others[at] || nearestWord(step, [others[at] ?? '']) !== undefined)
}

/** The first key with this name if no section was given; otherwise the only key with such a name. */
function suggestByLastStep(path: string): string | undefined {
  const last = lastStep(path)
  const word = nearestWord(
    last,
    CONFIG_KEYS.map((key) => lastStep(key.path)),
  )
  const named = CONFIG_KEYS.filter((key) => lastStep(key.path) === word)
  return named.length === 1 || path === word ? named[0]?.path : undefined
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function listParents(path: string): string[] {
  const steps = path.split('.')
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('.'))
}
