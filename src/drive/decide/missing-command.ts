/** Finds out from the end of a check that it never started: a program, a script or a target does not exist. Pure. */
import { nearestProgram, nearestWord } from '../../kit/match-names.ts'

/** What a check asked for in vain. */
export type MissingCommand = {
  readonly kind: 'program' | 'script' | 'command' | 'target' | 'module'
  readonly name: string
  /** The program that was asked for it. */
  readonly of: string
}

type Ended = { readonly exit_code?: number; readonly output: string }

type Rule = {
  readonly kind: MissingCommand['kind']
  readonly programs: readonly string[]
  /** What one of the programs prints. Its first group is the name. */
  readonly says: RegExp
}

const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun']

const RULES: readonly Rule[] = [
  { kind: 'script', programs: PACKAGE_MANAGERS, says: /Missing script:? "?([^"\s]+)/i },
  { kind: 'script', programs: ['yarn'], says: /Couldn't find a script named "([^"]+)"/ },
  { kind: 'script', programs: ['bun'], says: /Script not found "([^"]+)"/ },
  { kind: 'command', programs: ['npm'], says: /Unknown command: "([^"]+)"/ },
  { kind: 'script', programs: ['pnpm', 'yarn'], says: /Command "([^"]+)" not found/ },
  { kind: 'command', programs: ['cargo'], says: /no such command: `([^`]+)`/ },
  { kind: 'command', programs: ['go'], says: /^go ([^\s:]+): unknown command/m },
  { kind: 'target', programs: ['make', 'gmake'], says: /No rule to make target [`']([^']+)'\.\s+Stop/ },
  { kind: 'module', programs: ['python', 'python3'], says: /: No module named '?([\w.]+)'?\s*$/ },
]

/** `sh: 1: vitset: not found`, `bash: line 1: vitset: command not found`, `env: 'vitset': No such file or directory`. */
const NOT_FOUND =
  /^[^\n]*?: (?:line )?(?:\d+: )?['\u2018]?([^\s:'\u2019]+)['\u2019]?: (?:(?:command )?not found|No such file or directory)/m

const NOT_FOUND_CODE = 127
const NOT_EXECUTABLE_CODE = 126

/** Undefined if the check ran, whatever it found. */
export function findMissingCommand(command: string, { exit_code: code, output }: Ended): MissingCommand | undefined {
  if (code === undefined || code === 0) return undefined
  if (code === NOT_FOUND_CODE || code === NOT_EXECUTABLE_CODE) {
    const name = NOT_FOUND.exec(output)?.[1]
    return { kind: 'program', name: name ?? '', of: command }
  }
  const words = new Set(
    command.split(/[\s'"]+/).map((word) => word.replace(/^.*\//, '').replace(/(python)3\.\d+$/, '$1')),
  )
  for (const { kind, programs, says } of RULES) {
    const of = programs.find((program) => words.has(program))
    const name = of === undefined ? undefined : says.exec(output)?.[1]
    // A file that a script of the check needs is another matter.
    if (of !== undefined && name !== undefined && command.includes(name)) return { kind, name, of }
  }
  return undefined
}

const SCRIPT_RUNNERS = ['npm', 'pnpm']
/** Scripts that need no word before them, and what npm has without a script. */
const TEST_WORDS = ['test', 't']
const RUN_WORDS = ['run', 'run-script']
const BUILT_IN = ['env', 'start']

/** The script of package.json that a command runs. Undefined if it runs none, or if a flag may choose another package. */
export function findScript([program, first = '', ...rest]: readonly string[]): MissingCommand | undefined {
  const of = SCRIPT_RUNNERS.find((each) => each === program)
  const name = TEST_WORDS.includes(first) ? 'test' : RUN_WORDS.includes(first) ? rest[0] : undefined
  const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length)
  if (of === undefined || name === undefined || own.some((word) => word.startsWith('-'))) return undefined
  return /^[\w:.-]+$/.test(name) && !BUILT_IN.includes(name) ? { kind: 'script', name, of } : undefined
}

const WITHOUT_NAME = 'a program that it runs does not exist or cannot be executed'

/** One sentence. `known` are the names that exist. */
export function describeMissingCommand({ kind, name, of }: MissingCommand, known: readonly string[]): string {
  if (name === '') return WITHOUT_NAME
  const nearest = (kind === 'program' ? nearestProgram : nearestWord)(name, known)
  const what = kind === 'program' ? `there is no program ${name}` : `${of} has no ${kind} ${name}`
  return nearest === undefined ? what : `${what}; did you mean ${nearest}?`
}
