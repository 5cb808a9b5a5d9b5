/** Finds the run of a reported command in a line that an agent was seen to run. Pure. */
import { basename } from 'node:path'
import { readShellLine, type ShellCommand, type ShellLine, unwrapShell, VARIABLE } from './shell-line.ts'

/** A run of the reported command. */
export type CommandRun = {
  /** `unknown`: it ran, but its own exit code does not show. */
  readonly exitCode: number | 'unknown'
  /** It is the same command. Otherwise it ran with other variables, in another directory, or in another way. */
  readonly isSame: boolean
}

/** Undefined if the reported line is not in the one that was seen to end with this exit code. */
export function findRun(
  reported: CommandLine,
  seen: CommandLine,
  exitCode: CommandRun['exitCode'],
): CommandRun | undefined {
  if (isSameLine(reported, seen)) return { exitCode, isSame: true }
  const [only, ...others] = reported.parts
  if (only === undefined || reported.isOpaque) return undefined
  if (others.length > 0) return findWhole(reported, seen, exitCode)
  const part = seen.parts.findLast(({ loose }) => isSameList(loose, only.loose))
  if (part === undefined) return undefined
  const isSame = isSameList(part.exact, only.exact) && isSameList(part.around, only.around)
  const shown = seen.isOpaque ? 'unknown' : exitCodeOfPart(seen, { at: part.at, exitCode })
  // What stands around the command may have failed, and not the command.
  return { exitCode: !isSame && part.canFail && shown !== 0 ? 'unknown' : shown, isSame }
}

export function isSameLine(one: CommandLine, other: CommandLine): boolean {
  return one.text === other.text || (!one.isOpaque && !other.isOpaque && one.key === other.key)
}

/** A command in a line that does something, with what changes how it runs. */
type Part = {
  /** Its index among the commands of the line. */
  readonly at: number
  readonly exact: readonly string[]
  /** Whatever directory its program and its files are given in. */
  readonly loose: readonly string[]
  /** Variables, directories, programs that start it, files and pipes. */
  readonly around: readonly string[]
  /** Something of that has its own exit code. */
  readonly canFail: boolean
}

/** A line for a shell, and what it runs. */
export type CommandLine = ShellLine & {
  readonly text: string
  readonly key: string
  readonly parts: readonly Part[]
  /** A variable may have made its commands run other programs or other code. */
  readonly isRedirected: boolean
}

/** Variables that decide which program or code runs under a name. */
const REDIRECTING =
  /^(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|CLASSPATH|MAKEFLAGS|GOFLAGS|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP)|PYTEST_(?:ADDOPTS|PLUGINS)|RUBY(?:OPT|LIB)|PERL5(?:OPT|LIB)|JAVA_TOOL_OPTIONS|RUSTC_WRAPPER|(?:LD|DYLD|npm_config|NPM_CONFIG)_\w+)\+?=/

/** `root` is the directory in which agents start. */
export function readCommandLine(line: string, root: string): CommandLine {
  const text = trimBlanks(unwrapShell(trimBlanks(line)))
  const { commands, isOpaque } = readShellLine(text)
  const kept = isOpaque ? commands : withoutRootChange(commands, root)
  const parts: Part[] = []
  let around: string[] = []
  for (const [at, command] of kept.entries()) {
    if (isSetting(command)) around = [...around, command.words.join(' ')]
    else if (!isHarmless(command)) parts.push(toPart(command, { at, around, root }))
  }
  const key = JSON.stringify(
    kept.map(({ words, joinedBy, usesFile }, at) => [at && joinedBy, toScript(words), usesFile]),
  )
  const isRedirected = commands.some(({ words }) => words.some((word) => REDIRECTING.test(word)))
  return { text, key, parts, commands: kept, isOpaque, isRedirected }
}

/** Only what a shell takes for blanks. */
function trimBlanks(line: string): string {
  return line.replace(/^[ \t\n]+/, '').replace(/(?<![ \t\n])[ \t\n]+$/, '')
}

/** Agents start there: to change to it first changes nothing. */
function withoutRootChange(commands: readonly ShellCommand[], root: string): readonly ShellCommand[] {
  const [first, next] = commands
  if (first?.words[0] !== 'cd' || first.words.length !== 2 || first.usesFile) return commands
  const directory = first.words[1]?.replace(/\/+$/, '')
  const isJoined = next?.joinedBy === '&&' || next?.joinedBy === ';'
  return isJoined && (directory === '.' || directory === root) ? withoutRootChange(commands.slice(1), root) : commands
}

/** It only changes how the commands after it run. */
function isSetting({ words }: ShellCommand): boolean {
  return /^(?:cd|pushd|export|unset)$/.test(words[0] ?? '') || words.every((word) => VARIABLE.test(word))
}

/**
 * Programs that start another one: the number of their own arguments, and the flags with which they do. With others, such
 * as `command -v` or `sudo -l`, they start nothing, or it is not known what.
 */
const STARTERS: Readonly<Record<string, { args: number; flags: RegExp }>> = {
  time: { args: 0, flags: /^-p$/ },
  command: { args: 0, flags: /^-p$/ },
  nice: { args: 0, flags: /^-(?:n?-?\d+|-adjustment=-?\d+)$/ },
  nohup: { args: 0, flags: /^$/ },
  env: { args: 0, flags: /^(?:-|-i|--ignore-environment)$/ },
  timeout: { args: 1, flags: /^(?:-v|--(?:foreground|preserve-status|verbose|signal=\w+|kill-after=[\d.]+[smhd]?))$/ },
  sudo: { args: 0, flags: /^-[nEH]+$/ },
}

type Surroundings = { at: number; around: readonly string[]; root: string }

function toPart(command: ShellCommand, { at, around, root }: Surroundings): Part {
  const own: string[] = []
  let words = command.words
  let isStarted = false
  for (;;) {
    const taken = countOwnWords(words)
    if (taken === 0) break
    isStarted ||= !VARIABLE.test(words[0] ?? '')
    own.push(...words.slice(0, taken))
    words = words.slice(taken)
  }
  const fed = command.joinedBy === '|' ? ['|'] : []
  const file = command.usesFile ? ['>'] : []
  return {
    at,
    exact: toScript(words),
    loose: toScript(words.map((word, index) => (index === 0 ? basename(word) : withoutRoot(word, root)))),
    around: [...around, ...own, ...fed, ...file],
    canFail: isStarted || command.usesFile,
  }
}

/** How many words in front belong to variables or to a program that starts the command. */
function countOwnWords(words: readonly string[]): number {
  const [first = ''] = words
  if (words.length > 1 && VARIABLE.test(first)) return 1
  const starter = Object.hasOwn(STARTERS, first) ? STARTERS[first] : undefined
  if (starter === undefined) return 0
  const flags = words.slice(1).findIndex((word) => !word.startsWith('-'))
  const taken = 1 + flags + starter.args
  const isKnown = words.slice(1, 1 + flags).every((word) => starter.flags.test(word))
  return flags === -1 || taken >= words.length || !isKnown ? 0 : taken
}

function withoutRoot(word: string, root: string): string {
  return (word.startsWith(`${root}/`) ? word.slice(root.length + 1) : word).replace(/^(?:\.\/)+/, '')
}

/** `npm test` and `npm run-script test` are `npm run test`. */
function toScript(words: readonly string[]): readonly string[] {
  const [program = '', first = '', ...rest] = words
  if (!/^(?:npm|pnpm|yarn)$/.test(program)) return words
  if (first === 'test' || (first === 't' && program !== 'yarn') || (first === 'tst' && program === 'npm'))
    return [program, 'run', 'test', ...rest]
  return first === 'run-script' ? [program, 'run', ...rest] : words
}

/** Cannot fail, as far as it matters. */
function isHarmless({ words, usesFile }: ShellCommand): boolean {
  return !usesFile && /^(?:echo|printf|true|:|set)$/.test(words[0] ?? '')
}

/** A reported line of several commands is the whole of the line, beside what is around it. */
function findWhole(wanted: CommandLine, line: CommandLine, exitCode: CommandRun['exitCode']): CommandRun | undefined {
  if (line.isOpaque || line.parts.length !== wanted.parts.length) return undefined
  const isEqual = wanted.parts.every((part, index) => {
    const other = line.parts[index]
    return (
      other !== undefined &&
      isSameList(part.loose, other.loose) &&
      (index === 0 || wanted.commands[part.at]?.joinedBy === line.commands[other.at]?.joinedBy)
    )
  })
  if (!isEqual) return undefined
  return { exitCode: exitCode === 0 ? 0 : 'unknown', isSame: false }
}

type Position = { readonly at: number; readonly exitCode: CommandRun['exitCode'] }

/** The exit code of one command, if that of the whole line tells. */
function exitCodeOfPart({ commands }: CommandLine, { at, exitCode }: Position): CommandRun['exitCode'] {
  const before = commands.slice(0, at)
  const [endsOnError, failsInPipe] = [hasOption(before, 'errexit', 'e'), hasOption(before, 'pipefail')]
  const next = commands[at + 1]?.joinedBy
  if (next === '|' && !(failsInPipe && exitCode === 0)) return 'unknown'
  const begin = Math.max(
    0,
    commands.findLastIndex(({ joinedBy }) => joinedBy === ';'),
  )
  const last = commands.slice(begin)
  // Of the commands before the last `;`, only the exit code of a line that ends on errors tells.
  if (at < begin) return exitCode === 0 && endsOnError && isAlone(commands, at) ? 0 : 'unknown'
  if (last.some(({ joinedBy }) => joinedBy === '||')) return 'unknown'
  if (exitCode === 0) return 0
  const others = last.filter((command) => command !== commands[at])
  const mayEndEarly = endsOnError || hasOption(before, 'nounset', 'u')
  return !mayEndEarly && others.every(cannotFail) ? exitCode : 'unknown'
}

/** The words after `set` are flags and the names of options: others make a line opaque. */
function hasOption(commands: readonly ShellCommand[], name: string, letter = name): boolean {
  const settings = commands.filter(({ words }) => words[0] === 'set')
  return settings.some(({ words }) =>
    words.some((word) => word === name || (word.startsWith('-') && word.includes(letter))),
  )
}

/** Neither `&&` nor `||` is beside it: there, an error does not end the line. */
function isAlone(commands: readonly ShellCommand[], at: number): boolean {
  return [commands[at]?.joinedBy, commands[at + 1]?.joinedBy].every((each) => each === ';')
}

function cannotFail(command: ShellCommand): boolean {
  const isDirectory = /^(?:cd|pushd)$/.test(command.words[0] ?? '')
  return isHarmless(command) || (isSetting(command) && !isDirectory)
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index])
}
