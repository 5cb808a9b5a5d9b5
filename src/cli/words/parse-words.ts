/** Parses the command line into a command with its arguments and flags, or throws a usage fault. */
import { parseArgs } from 'node:util'
import type { Fault } from '../../kit/fault.ts'
import { nearestWord } from '../../kit/match-names.ts'
import { type Command, commandName, type Flag, type Flags, type Positional } from '../command.ts'
import {
  argumentInvalid,
  argumentMissing,
  argumentUnexpected,
  commandUnknown,
  flagUnknown,
  flagValueEmpty,
  flagValueInvalid,
  flagValueMissing,
  protocolOperationRequired,
  subcommandRequired,
} from '../faults.ts'

/** Flags of every command; they may also come before the command. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'config', value: 'FILE', description: 'Use this config file instead of ~/.drover/config.yaml' },
  { name: 'help', short: 'h', description: 'Show help' },
]

export const ROOT_FLAGS: readonly Flag[] = [
  ...GLOBAL_FLAGS,
  { name: 'version', short: 'v', description: 'Show the version' },
]

export type Parsed = { command: Command; args: readonly string[]; flags: Flags }

/** A command, words that only group commands (none at the root), or an unknown word after such a group. */
export type Target =
  | { is: 'command'; command: Command; rest: readonly string[] }
  | { is: 'group'; words: readonly string[]; rest: readonly string[] }
  | { is: 'unknown'; words: readonly string[]; fault: () => Fault }

/** Finds the command. Flags before and between its words are passed on to it. */
export function findCommand(table: readonly Command[], argv: readonly string[]): Target {
  const words: string[] = []
  const flags: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word.startsWith('-') && word !== '-') {
      if (word === '--') break
      const taken = takeLeadingFlag(table, argv, at)
      if (taken === 0) return { is: 'group', words, rest: [...flags, ...argv.slice(at)] }
      flags.push(...argv.slice(at, at + taken))
      at += taken - 1
      continue
    }
    words.push(word)
    const exact = table.find((command) => commandName(command) === words.join(' '))
    if (exact !== undefined) return { is: 'command', command: exact, rest: [...flags, ...argv.slice(at + 1)] }
    if (!table.some((command) => isPrefix(words, command.words))) {
      // Most unknown words are a prompt, so no one wants to know which command they resemble.
      const fault = () => unknownCommand(table, words, { before: flags, after: argv.slice(at + 1) })
      return { is: 'unknown', words: words.slice(0, -1), fault }
    }
  }
  return { is: 'group', words, rest: flags }
}

/** The command that runs for words that only group commands, unless help is wanted. */
export function withDefaultCommand(table: readonly Command[], target: Target): Target {
  if (target.is !== 'group') return target
  const { words, rest } = target
  const command = table.find((each) => each.isDefault && each.words.slice(0, -1).join(' ') === words.join(' '))
  if (command === undefined || givenFlags([command], rest).some(({ name }) => name === 'help')) return target
  return { is: 'command', command, rest }
}

/** The number of words that a flag before the command takes; 0 if no command has the flag. */
function takeLeadingFlag(table: readonly Command[], argv: readonly string[], at: number): number {
  const word = argv[at] ?? ''
  const name = word.split('=', 1)[0]
  const known = [...ROOT_FLAGS, ...table.flatMap((command) => command.flags)]
  const flag = known.find(
    (each) => name === `--${each.name}` || (each.short !== undefined && word === `-${each.short}`),
  )
  if (flag === undefined) return 0
  return flag.value !== undefined && !word.includes('=') && at + 1 < argv.length ? 2 : 1
}

type Around = { before: readonly string[]; after: readonly string[] }

function unknownCommand(table: readonly Command[], words: readonly string[], { before, after }: Around): Fault {
  const known = table.filter((command) => command.isHidden !== true || command.aliasOf !== undefined)
  const siblings = known.filter((command) => isPrefix(words.slice(0, -1), command.words))
  const names = new Set(siblings.map((command) => command.words[words.length - 1] ?? ''))
  const word = words.at(-1) ?? ''
  const meant = siblings.find((command) => command.words.length === words.length && command.otherNames?.includes(word))
  const last = meant?.words.at(-1) ?? nearestWord(word, [...names])
  const nearest = last && [...words.slice(0, -1), last].join(' ')
  const foreign = nearest === undefined && words.length === 1 ? foreignFlag(table, [...before, ...after]) : undefined
  if (foreign !== undefined) return flagUnknown({ ...foreign, command: '', nearest: undefined })
  const alias = siblings.find((command) => command.aliasOf !== undefined && commandName(command) === nearest)
  const more = wordsBeforeFlags(after)
  return commandUnknown({
    given: words.join(' '),
    nearest: nearest && `drover ${alias?.aliasOf ?? nearest}`,
    asPrompt: words.length === 1 ? [word, ...more].join(' ') : undefined,
    isSentence: more.length > 1,
  })
}

/** The first flag that a prompt does not have, and the commands that have it: one of them was meant. */
function foreignFlag(table: readonly Command[], words: readonly string[]) {
  const known = [...promptFlags(table), ...ROOT_FLAGS]
  const all = [...known, ...table.flatMap((command) => command.flags)]
  const options = tokenize(all, words).filter((token) => token.kind === 'option')
  const flag = options.find(({ name }) => !known.some((each) => each.name === name))?.rawName ?? ''
  const owners = ownersOf(flag, table)
  return owners.length === 0 ? undefined : { flag, owners }
}

function wordsBeforeFlags(rest: readonly string[]): readonly string[] {
  const flag = rest.findIndex((word) => word.startsWith('-'))
  return flag === -1 ? rest : rest.slice(0, flag)
}

export function needsSubcommand(table: readonly Command[], words: readonly string[]) {
  const known = listSubcommands(table, words)
  const command = words.join(' ')
  return command === 'protocol' ? protocolOperationRequired({ known }) : subcommandRequired({ command, known })
}

function listSubcommands(table: readonly Command[], words: readonly string[]): string[] {
  const inside = table.filter((command) => command.isHidden !== true && isPrefix(words, command.words))
  return [...new Set(inside.map((command) => command.words[words.length] ?? ''))].filter((word) => word !== '')
}

function isPrefix(words: readonly string[], of: readonly string[]): boolean {
  return words.every((word, at) => of[at] === word)
}

/** Parses the flags and arguments of a command. With --help the arguments are not checked. */
export function parseWords(command: Command, rest: readonly string[], table: readonly Command[] = []): Parsed {
  const known = [...command.flags, ...GLOBAL_FLAGS]
  const read = readFlags(known, { rest, command: commandName(command), table })
  const flags = toFlags(read.given)
  if (flags.isOn('help')) return { command, args: [], flags }
  return { command, args: checkArguments(command, read.positionals), flags }
}

/** Parses flags where no command was given. After the words of a group, the flags of its commands are known. */
export function parseRootFlags(table: readonly Command[], rest: readonly string[], words: readonly string[]): Flags {
  const inside = words.length === 0 ? [] : table.filter((command) => isPrefix(words, command.words))
  const own = new Map(inside.flatMap(({ flags }) => flags).map((flag) => [flag.name, flag]))
  const known = words.length === 0 ? ROOT_FLAGS : [...GLOBAL_FLAGS, ...own.values()]
  return toFlags(readFlags(known, { rest, command: words.join(' '), table }).given)
}

/** Reads the arguments as if they belonged to this command, without checking them. */
function lookAhead(command: Command, argv: readonly string[]): { firstWord: string | undefined; flags: string[] } {
  const tokens = tokenize([...command.flags, ...ROOT_FLAGS], argv)
  const positional = tokens.find((token) => token.kind === 'positional')
  return {
    firstWord: positional?.value,
    flags: tokens.filter((token) => token.kind === 'option').map((token) => token.name),
  }
}

export type GivenFlag = { name: string; value: string | undefined }

/** The flags that these commands would read, unchecked. */
export function givenFlags(commands: readonly Command[], argv: readonly string[]): GivenFlag[] {
  const known = [...commands.flatMap((command) => command.flags), ...ROOT_FLAGS]
  return tokenize(known, argv)
    .filter((token) => token.kind === 'option')
    .map(({ name, value }) => ({ name, value }))
}

type Given = Map<string, (string | boolean)[]>

function tokenize(known: readonly Flag[], words: readonly string[]) {
  const options = Object.fromEntries(
    known.map(({ name, short, value }) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const)
      return [name, short === undefined ? { type } : { type, short }]
    }),
  )
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

type Input = { rest: readonly string[]; command: string; table: readonly Command[] }

function readFlags(known: readonly Flag[], input: Input) {
  const tokens = tokenize(known, input.rest)
  const given: Given = new Map()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = known.find((each) => each.name === token.name)
    if (flag === undefined) throw unknownFlag(known, { flag: token.rawName, command: input.command }, input.table)
    given.set(flag.name, [...(given.get(flag.name) ?? []), flagValue(flag, token)])
  }
  return { given, positionals }
}

/** More commands than this have a flag that says nothing about the one that was meant. */
const MOST_OWNERS = 3

function unknownFlag(known: readonly Flag[], given: { flag: string; command: string }, table: readonly Command[]) {
  const word = given.flag.replace(/^-+/, '')
  const meant = known.find(({ otherNames }) => otherNames?.includes(word))?.name
  const nearest = meant ?? nearestFlag(word, known)
  const ofPrompt = given.command === '' && nearest === undefined ? nearestFlag(word, promptFlags(table)) : undefined
  // Without a command, most words are a prompt.
  if (ofPrompt !== undefined) return flagUnknown({ ...given, command: 'prompt', nearest: `--${ofPrompt}`, owners: [] })
  return flagUnknown({ ...given, nearest: nearest && `--${nearest}`, owners: ownersOf(given.flag, table) })
}

function nearestFlag(word: string, known: readonly Flag[]): string | undefined {
  return nearestWord(
    word,
    known.map(({ name }) => name),
  )
}

function promptFlags(table: readonly Command[]): readonly Flag[] {
  return table.find((command) => commandName(command) === 'prompt')?.flags ?? []
}

/** The commands that have this flag, if it tells them from the others. */
function ownersOf(flag: string, table: readonly Command[]): string[] {
  const shown = table.filter(({ isHidden, aliasOf }) => isHidden !== true && aliasOf === undefined)
  const owners = shown.filter(({ flags }) => flags.some(({ name }) => `--${name}` === flag))
  return owners.length > MOST_OWNERS ? [] : owners.map((command) => `drover ${commandName(command)}`)
}

/** The word after a flag is its value, whatever it begins with: scripts pass values that they do not know. */
function flagValue(flag: Flag, token: { rawName: string; value?: string | undefined }) {
  if (flag.value === undefined) return switchValue(token)
  const { value, rawName } = token
  if (value === undefined) throw flagValueMissing({ flag: rawName })
  // Otherwise an unset variable would go unnoticed, as in --output-dir "$DIR".
  if (value === '' && flag.mayBeEmpty !== true) throw flagValueEmpty({ flag: rawName })
  const allowed = violatedRule(flag, value)
  if (allowed !== undefined) {
    const { choices: known = [] } = flag
    throw flagValueInvalid({ flag: rawName, given: value, allowed, known })
  }
  return value
}

function switchValue(token: { rawName: string; value?: string | undefined }): boolean {
  if (token.value === undefined || token.value === 'true') return true
  if (token.value === 'false') return false
  throw flagValueInvalid({
    flag: token.rawName,
    given: token.value,
    allowed: 'given without a value, or with true or false',
  })
}

/** What the flag allows, if it does not allow this value. */
function violatedRule(flag: Flag, value: string): string | undefined {
  if (flag.choices !== undefined && !flag.choices.includes(value)) return `one of ${flag.choices.join(', ')}`
  if (flag.pattern?.like.test(value) === false) return flag.pattern.says
  if (flag.integer === undefined) return undefined
  const { min, max } = flag.integer
  const isWithin = /^(0|[1-9][0-9]*)$/.test(value) && Number(value) >= min && Number(value) <= max
  return isWithin ? undefined : `a whole number from ${min} to ${max}`
}

function checkArguments(command: Command, given: readonly string[]): readonly string[] {
  const { positionals } = command
  const missing = positionals.find((positional, at) => positional.isOptional !== true && at >= given.length)
  if (missing !== undefined) {
    throw argumentMissing({ command: commandName(command), name: missing.name, choices: missing.choices })
  }
  given.forEach((word, at) => {
    const last = positionals.at(-1)
    const positional = positionals[at] ?? (last?.repeats === true ? last : undefined)
    if (positional === undefined) {
      throw argumentUnexpected({ command: commandName(command), given: word, takes: takenBy(command) })
    }
    checkChoice(positional, word)
  })
  return given
}

function takenBy({ positionals, flags }: Command): 'some' | 'none' | 'a file' {
  if (positionals.length > 0) return 'some'
  return flags.some(({ name }) => name === 'file') ? 'a file' : 'none'
}

function checkChoice(positional: Positional, given: string): void {
  const { choices, name } = positional
  if (choices === undefined || choices.includes(given)) return
  throw argumentInvalid({ name, given, allowed: choices, nearest: nearestWord(given, choices) })
}

/** The last of several values wins. */
function toFlags(given: Given): Flags {
  const last = (name: string) => given.get(name)?.at(-1)
  const text = (name: string) => {
    const value = last(name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    isOn: (name) => last(name) === true,
    text,
    texts: (name) => (given.get(name) ?? []).filter((value) => typeof value === 'string'),
    integer: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  }
}

/** With one of these flags even a single word is a prompt. */
const PROMPT_FLAGS = ['backend', 'model', 'continue', 'demo']

/**
 * Decides whether a command line without a command is a prompt. A misspelled command must not start an agent and cost money.
 *
 * Puts `prompt` in front if the arguments are a prompt. They are if
 * - the first one contains a space or is `-`,
 * - there is one, and `-b`, `-m`, `-c` or `--demo` is given,
 * - there is none, and standard input is piped or a flag of `prompt` is given.
 */
export function addPromptCommand(
  table: readonly Command[],
  argv: readonly string[],
  isPiped: () => boolean,
): readonly string[] {
  const prompt = table.find((command) => command.words[0] === 'prompt')
  if (prompt === undefined || findCommand(table, argv).is === 'command') return argv
  const { firstWord, flags } = lookAhead(prompt, argv)
  if (flags.includes('help') || flags.includes('version')) return argv
  if (firstWord === undefined) {
    const hasPromptFlag = flags.some((flag) => prompt.flags.some((own) => own.name === flag))
    return hasPromptFlag || isPiped() ? ['prompt', ...argv] : argv
  }
  if (table.some((command) => command.words[0] === firstWord)) return argv
  const isPrompt = /\s/.test(firstWord) || firstWord === '-' || PROMPT_FLAGS.some((flag) => flags.includes(flag))
  return isPrompt ? ['prompt', ...argv] : argv
}
