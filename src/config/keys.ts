/** The table of keys, and how to find one in it. */
import { nearestWord } from '../kit/nearest.ts'
import { formatPath } from '../kit/schema.ts'
import { type ConfigPath, KEYS } from './keys.generated.js'

/** How a value is written: `entries` are objects in a list, which only the file can hold. */
export type KeyType = 'string' | 'integer' | 'boolean' | 'enum' | 'list' | 'map' | 'entries'

export type ConfigKey = {
  readonly path: ConfigPath
  readonly type: KeyType
  readonly default: unknown
  /** The environment variables that set it, the regular name first. */
  readonly variables: readonly string[]
  /** The values of an enum. */
  readonly allowed?: readonly string[]
  /** The range of an integer. */
  readonly minimum?: number
  readonly maximum?: number
  /** What is allowed, in words. */
  readonly rule: string
  readonly description: string
  /** Entries add to the default instead of replacing it. */
  readonly isUnited?: true
  /** The fields of its entries that are masked when they are shown. */
  readonly secrets?: readonly string[]
}

export type { ConfigPath }

export const CONFIG_KEYS: readonly ConfigKey[] = KEYS

const byPath: ReadonlyMap<string, ConfigKey> = new Map(CONFIG_KEYS.map((key) => [key.path, key]))

const sections: ReadonlySet<string> = new Set(CONFIG_KEYS.flatMap((key) => parentsOf(key.path)))

export function findKey(path: string): ConfigKey | undefined {
  return byPath.get(path)
}

export function isSection(path: string): boolean {
  return sections.has(path)
}

/** Whether a place is another one or inside it, as `server.trusted_proxies[1]` is in `server.trusted_proxies`. */
export function isWithin(place: string, outer: string): boolean {
  return place === outer || (place.startsWith(outer) && /^[.[]/.test(place.slice(outer.length)))
}

/** The place of a name in a section; a name that no key could have is quoted, so that it is never taken for one. */
export function pathUnder(section: string, name: string): string {
  const step = formatPath({}, [name]).slice(1)
  return section === '' && step.startsWith('.') ? name : `${section}${step}`
}

/** Longer names are no slips of the finger, and comparing them would take its time. */
const LONGEST_SLIP = 100

/** The key or section that was probably meant: one spelled alike, or one whose last word is, in another section. */
export function suggestKey(path: string): string | undefined {
  if (path.length > LONGEST_SLIP) return undefined
  const bare = path.replace(/[^\w.-]/g, '')
  const alike = nearestWord(bare, [...byPath.keys(), ...sections])
  if (alike !== undefined) return alike
  const word = nearestWord(
    lastStep(path),
    CONFIG_KEYS.map((key) => lastStep(key.path)),
  )
  return CONFIG_KEYS.find((key) => lastStep(key.path) === word)?.path
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function parentsOf(path: string): string[] {
  const steps = path.split('.')
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('.'))
}
