/** Which words may stand at the cursor. Pure but for suggestions that have to be looked up. */
import type { Choices, Command, Flag } from './command.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from './parse-words.ts'

export type Candidate = { word: string; says: string }

/** `typed` ends with the unfinished word, which may be empty. */
export async function completeWords(table: readonly Command[], typed: readonly string[]): Promise<Candidate[]> {
  const finished = typed.slice(0, -1)
  const unfinished = typed.at(-1) ?? ''
  const candidates = await candidatesAfter(table, finished, unfinished)
  return candidates.filter((candidate) => candidate.word.startsWith(unfinished))
}

async function candidatesAfter(table: readonly Command[], finished: readonly string[], unfinished: string) {
  const visible = table.filter((command) => command.isHidden !== true)
  const words = finished.filter((word) => !word.startsWith('-'))
  const command = visible.find((each) => each.words.every((word, at) => words[at] === word))
  if (command === undefined) return unfinished.startsWith('-') ? flagCandidates(ROOT_FLAGS) : nextWords(visible, words)
  const flags = [...command.flags, ...GLOBAL_FLAGS]
  const pending = flags.find((flag) => flag.value !== undefined && isFlagWord(flag, finished.at(-1)))
  if (pending !== undefined) return plain(pending.choices ?? [])
  if (unfinished.startsWith('-')) return flagCandidates(flags)
  const position = words.length - command.words.length
  const positional = command.positionals[position] ?? repeating(command)
  return plain(await known(positional?.choices ?? positional?.suggests ?? []))
}

function nextWords(table: readonly Command[], words: readonly string[]): Candidate[] {
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  const next = new Map<string, string>()
  for (const command of inside) {
    const word = command.words[words.length]
    const isLast = command.words.length === words.length + 1
    if (word !== undefined && !next.has(word)) next.set(word, isLast ? command.summary : `${word} commands`)
  }
  return [...next].map(([word, says]) => ({ word, says }))
}

function repeating(command: Command) {
  const last = command.positionals.at(-1)
  return last?.repeats === true ? last : undefined
}

function isFlagWord(flag: Flag, word: string | undefined): boolean {
  return word === `--${flag.name}` || (flag.short !== undefined && word === `-${flag.short}`)
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
  return flags.map((flag) => ({ word: `--${flag.name}`, says: flag.says }))
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, says: '' }))
}

async function known(choices: Choices): Promise<readonly string[]> {
  return typeof choices === 'function' ? await choices() : choices
}
