/** What a command is: words, flags, help and the file that does it. Parser, help and completion all read this data. */
import type { Clock } from '../kit/clock.ts'
import type { StandardInput } from './standard-input.ts'
import type { Terminal } from './terminal.ts'

export type Group = 'Prompts' | 'Server' | 'Changes' | 'Hosts' | 'Other'

export const GROUPS: readonly Group[] = ['Prompts', 'Server', 'Changes', 'Hosts', 'Other']

/** Words a shell may offer; a function when they have to be looked up. */
export type Choices = readonly string[] | ((runtime: Runtime) => Promise<readonly string[]>)

export type Flag = {
  name: string
  short?: string
  description: string
  /** What stands for the value in help (`FILE`); a flag without one is a switch. */
  value?: string
  /** The only values allowed. */
  choices?: readonly string[]
  /** A whole number in this range. */
  integer?: { min: number; max: number }
  /** An empty value says something, or the command has its own word for it; of all other flags it is refused. */
  mayBeEmpty?: true
  repeats?: true
}

export type Positional = {
  name: string
  description: string
  isOptional?: true
  repeats?: true
  /** The only values allowed. */
  choices?: readonly string[]
  /** Values a shell may offer; others are allowed too. */
  suggests?: Choices
}

type Example = { line: string; description: string }

export type Command = {
  words: readonly [string, ...string[]]
  group: Group
  /** The group whose form of errors and exit codes it has, if that is not its own. */
  failsAs?: Group
  /** What its last word is called elsewhere, so that whoever writes that is told. */
  otherNames?: readonly string[]
  summary: string
  /** Paragraphs under the summary in `--help`. */
  description?: string
  positionals: readonly Positional[]
  flags: readonly Flag[]
  examples: readonly [Example, ...Example[]]
  /** Left out of help: for shells, not for people. */
  isHidden?: true
  load: () => Promise<{ run: Run }>
}

/** Flags as they were given, checked against the table. */
export type Flags = {
  isOn(name: string): boolean
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  integer(name: string): number | undefined
}

/** What the process was started with; commands never look at `process` themselves. */
export type Runtime = {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  homeDirectory: string
  version: () => string
  clock: Clock
  terminal: Terminal
  stdin: StandardInput
  isRoot: boolean
  /** How the built-in demo agent is started. */
  demoAgent: readonly [string, ...string[]]
  /** How long a server that is told to stop lets requests finish; only tests are in more of a hurry than it is. */
  drainMs?: number
}

export type Invocation = {
  args: readonly string[]
  flags: Flags
  runtime: Runtime
  /** The whole table, for the commands that are about commands. */
  commands: readonly Command[]
}

/** Does the command and gives the exit code. */
export type Run = (invocation: Invocation) => Promise<number>

export function nameOf(command: Command): string {
  return command.words.join(' ')
}
