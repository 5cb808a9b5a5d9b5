/** Reads arguments by a table of the flags that an agent knows. A flag that takes a value gets the next word, whatever it is. */

type FlagKind = 'switch' | 'value' | 'values'

/** Each flag and what it takes; a flag that is short for another names that one. */
export type FlagTable = Readonly<Record<string, FlagKind | `-${string}`>>

export type Arguments = {
  has(flag: string): boolean
  /** The last one given. */
  value(flag: string): string | undefined
  /** Before a `--`. */
  words: readonly string[]
  /** After it. */
  rest: readonly string[]
}

export function readArguments(argv: readonly string[], table: FlagTable): Arguments | { unknownFlag: string } {
  const flags = new Map<string, string | undefined>()
  const words: string[] = []
  const end = argv.indexOf('--')
  const queue = argv.slice(0, end === -1 ? argv.length : end)
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '-' || !word.startsWith('-')) {
      words.push(word)
      continue
    }
    const [spelled, inline] = splitInline(word)
    const flag = resolveFlag(spelled, table)
    if (flag === undefined) return { unknownFlag: spelled }
    flags.set(flag.name, inline ?? takeValue(flag.kind, queue))
  }
  return {
    has: (flag) => flags.has(flag),
    value: (flag) => flags.get(flag),
    words,
    rest: end === -1 ? [] : argv.slice(end + 1),
  }
}

function splitInline(word: string): [flag: string, value: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function resolveFlag(spelled: string, table: FlagTable): { name: string; kind: FlagKind } | undefined {
  const entry = Object.hasOwn(table, spelled) ? table[spelled] : undefined
  if (entry === undefined) return undefined
  return isKind(entry) ? { name: spelled, kind: entry } : resolveFlag(entry, table)
}

function isKind(entry: FlagKind | `-${string}`): entry is FlagKind {
  return !entry.startsWith('-')
}

function takeValue(kind: FlagKind, queue: string[]): string | undefined {
  if (kind === 'switch') return undefined
  if (kind === 'value') return queue.shift()
  const next = queue.findIndex((word) => word.startsWith('-'))
  return queue.splice(0, next === -1 ? queue.length : next).join(' ')
}
