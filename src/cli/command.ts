/** A command is data: its words, flags and help, and the module that runs it. Parser, help and completion read this data. */
import type { Clock } from '../kit/clock.ts'
import type { StandardInput } from './standard-input.ts'
import type { Terminal } from './terminal.ts'

/** `Programs` are commands that programs call, not people. */
export type Group = 'Prompts' | 'Server' | 'Changes' | 'Hosts' | 'Other' | 'Programs'

export const GROUPS: readonly Group[] = ['Prompts', 'Server', 'Changes', 'Hosts', 'Other', 'Programs']

/** Words that a shell offers; a function if they are looked up. */
export type Choices = readonly string[] | ((runtime: Runtime) => Promise<readonly string[]>)

export type Flag = {
  name: string
  short?: string
  description: string
  /** The name of the value in help (`FILE`); a flag without one is a switch. */
  value?: string
  /** The only values allowed. */
  choices?: readonly string[]
  /** Values that a shell offers; the command checks the value itself. */
  suggests?: Choices
  /** What the value must look like, and how to say so. */
  pattern?: { like: RegExp; says: string }
  /** A whole number in this range. */
  integer?: { min: number; max: number }
  /** An empty value has a meaning, or the command reports it itself. Other flags refuse it. */
  mayBeEmpty?: true
  repeats?: true
  /** Its names in other commands (`backend`, `b`), used for suggestions. */
  otherNames?: readonly string[]
}

type FlagOptions = Omit<Flag, 'name' | 'short' | 'value' | 'description'>

/** The flag that help shows as `-f, --file FILE`. */
export function flag(shown: string, description: string, options: FlagOptions = {}): Flag {
  const [, short, name = '', value] = /^(?:-(\w), )?--([\w-]+)(?: (.+))?$/.exec(shown) ?? []
  return { name, ...(short && { short }), description, ...(value && { value }), ...options }
}

export type Positional = {
  name: string
  description: string
  isOptional?: true
  repeats?: true
  /** The only values allowed. */
  choices?: readonly string[]
  /** Values that a shell offers; others are allowed too. */
  suggests?: Choices
}

/** The allowed values, unless the description already names each of them. */
export function choicesToList({ description, choices }: Flag | Positional): readonly string[] | undefined {
  const words = new Set(description.match(/[\w-]+/g))
  return choices?.every((choice) => words.has(choice)) ? undefined : choices
}

export type Command = {
  words: readonly [string, ...string[]]
  group: Group
  /** The group whose error format and exit codes the command uses; its own by default. */
  failsAs?: Group
  /** Runs if its last word is left out, as in `drover sessions`. */
  isDefault?: true
  /** Names for its last word in other programs (`ls`, `rm`), used for suggestions. */
  otherNames?: readonly string[]
  summary: string
  /** Paragraphs under the summary in `--help`. */
  description?: string
  positionals: readonly Positional[]
  flags: readonly Flag[]
  /** Lines that show its use, each with what it does. */
  examples: Readonly<Record<string, string>>
  /** Not shown in help: an alias, or a command that only shells call. */
  isHidden?: true
  /** The name of the command for which this is another, shorter name. */
  aliasOf?: string
  load: () => Promise<{ run: RunCommand }>
}

type Definition = Omit<Command, 'group' | 'failsAs' | 'positionals' | 'flags'> &
  Partial<Pick<Command, 'positionals' | 'flags'>>

/** The commands of one group. One that takes no arguments or has no flags does not mention them. */
export function commandsIn(group: Pick<Command, 'group' | 'failsAs'>, defined: readonly Definition[]): Command[] {
  return defined.map((command) => ({ positionals: [], flags: [], ...command, ...group }))
}

/** The given flags, checked against the definitions. */
export type Flags = {
  isOn(name: string): boolean
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  integer(name: string): number | undefined
}

/** What the process provides. Commands use this instead of `process`. */
export type Runtime = {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  homeDirectory: string
  version: () => string
  clock: Clock
  terminal: Terminal
  stdin: StandardInput
  isRoot: boolean
  /** Variables that no other program should see, but that drover could not hide. */
  readableVariables: readonly string[]
  /** The command line of the built-in demo agent. */
  demoAgent: readonly [string, ...string[]]
  /** The program of the thread in which the server reads large request bodies. */
  jsonThread: string
  /** The programs that run in a sandbox: the first one, and the one that tries to leave it. */
  sandbox: { forwarder: string; probe: string }
  /** The files of the console, if they are built. */
  consoleDirectory: string
  /** How long a stopping server waits for requests; tests set a shorter time. */
  drainMs?: number
}

export type Invocation = {
  args: readonly string[]
  flags: Flags
  runtime: Runtime
  /** All commands, for help and completion. */
  commands: readonly Command[]
}

/** Runs the command and returns the exit code. */
export type RunCommand = (invocation: Invocation) => Promise<number>

export function commandName(command: Command): string {
  return command.words.join(' ')
}

/** The command, and the same under another name, which only its help mentions. */
export function withAlias(command: Command, words: Command['words']): [Command, Command] {
  const { isDefault: _, otherNames: __, description = '', ...rest } = command
  const [name, alias] = [commandName(command), words.join(' ')]
  return [
    { ...command, description: `${description}\nShort form: drover ${alias}.`.trim() },
    {
      ...{ ...rest, words, isHidden: true, aliasOf: name },
      description: `The same as drover ${name}.\n${description}`.trim(),
    },
  ]
}
