/** `drover complete-words`: prints the words that can follow at the cursor. */
import type { Choices, Command, Flag, RunCommand, Runtime } from '../command.ts'
import { GLOBAL_FLAGS, ROOT_FLAGS } from '../words/parse-words.ts'

type Candidate = { word: string; description: string }

/** One candidate a line, with a tab before its description. */
export const run: RunCommand = async ({ args, runtime, commands }) => {
  const candidates = await completeWords(commands, args, runtime)
  const lines = candidates.map(({ word, description }) =>
    description === '' ? `${word}\n` : `${word}\t${description}\n`,
  )
  await runtime.terminal.out.write(lines.join(''))
  return 0
}

/** The last word of `typed` is unfinished and may be empty. */
async function completeWords(
  table: readonly Command[],
  typed: readonly string[],
  runtime: Runtime,
): Promise<Candidate[]> {
  const finished = typed.slice(0, -1)
  const unfinished = typed.at(-1) ?? ''
  const candidates = await candidatesAfter(table, { finished, unfinished }, runtime)
  return candidates.filter((candidate) => candidate.word.startsWith(unfinished))
}

async function candidatesAfter(
  table: readonly Command[],
  { finished, unfinished }: { finished: readonly string[]; unfinished: string },
  runtime: Runtime,
): Promise<Candidate[]> {
  const visible = table.filter((command) => command.isHidden !== true)
  const known = [...ROOT_FLAGS, ...table.flatMap((command) => command.flags)]
  const { words, pending: asked } = readFinished(finished, known)
  const command = table.find((each) => each.words.every((word, at) => words[at] === word))
  const flags = command === undefined ? known : [...command.flags, ...GLOBAL_FLAGS]
  const joined = flags.find((flag) => flag.value !== undefined && unfinished.startsWith(`--${flag.name}=`))
  if (joined !== undefined) return plain(await listValues(joined, runtime), `--${joined.name}=`)
  const pending = flags.find((flag) => flag.value !== undefined && isFlagWord(flag, asked))
  if (pending !== undefined) return plain(await listValues(pending, runtime))
  if (unfinished.startsWith('-')) return flagCandidates(command === undefined ? promptFlags(visible) : flags)
  if (command === undefined) return nextWords(visible, words)
  const positional = command.positionals[words.length - command.words.length] ?? repeating(command)
  return plain(positional === undefined ? [] : await listValues(positional, runtime))
}

/** The words without flags and their values, and the last flag if its value is missing. */
function readFinished(finished: readonly string[], known: readonly Flag[]) {
  const words: string[] = []
  let pending: string | undefined
  for (const word of finished) {
    const isValue = pending !== undefined
    const takesValue = !isValue && known.some((flag) => flag.value !== undefined && isFlagWord(flag, word))
    if (!isValue && !word.startsWith('-')) words.push(word)
    pending = takesValue ? word : undefined
  }
  return { words, pending }
}

/** Before a command, flags of `prompt` are offered, because that word may be left out. */
function promptFlags(table: readonly Command[]): Flag[] {
  const prompt = table.find((command) => command.words[0] === 'prompt')
  return [...(prompt?.flags ?? []), ...ROOT_FLAGS]
}

function nextWords(table: readonly Command[], words: readonly string[]): Candidate[] {
  const inside = table.filter((command) => words.every((word, at) => command.words[at] === word))
  const next = new Map<string, string>()
  for (const command of inside) {
    const word = command.words[words.length]
    const isLast = command.words.length === words.length + 1
    if (word !== undefined && !next.has(word)) next.set(word, isLast ? command.summary : `${word} commands`)
  }
  return [...next].map(([word, description]) => ({ word, description }))
}

function repeating(command: Command) {
  const last = command.positionals.at(-1)
  return last?.repeats === true ? last : undefined
}

function isFlagWord(flag: Flag, word: string | undefined): boolean {
  return word === `--${flag.name}` || (flag.short !== undefined && word === `-${flag.short}`)
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
  return flags.map((flag) => ({ word: `--${flag.name}`, description: flag.description }))
}

function plain(words: readonly string[], before = ''): Candidate[] {
  return words.map((word) => ({ word: before + word, description: '' }))
}

type Offering = { choices?: readonly string[]; suggests?: Choices }

async function listValues({ choices, suggests = [] }: Offering, runtime: Runtime): Promise<readonly string[]> {
  if (choices !== undefined) return choices
  return typeof suggests === 'function' ? await suggests(runtime) : suggests
}
