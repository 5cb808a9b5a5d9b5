/**
 * Every command that `next` can offer, with its inputs. Words in capitals are values; a last word in brackets is optional.
 * Commands are built from this table and checked against it.
 */
import type { Next, NextInput, NextVariant } from './next.shape.ts'

type Operation = Exclude<Next['operation'], 'none'>

/** A value that starts with a hyphen would be parsed as a flag. */
const NO_FLAG = /^[^-]/

/** The allowed values, as a description and a pattern. */
const VALUES = {
  RUN: { says: 'a run id that does not start with -', pattern: /^(?!-)[A-Za-z0-9_-]{1,128}$/ },
  ACTION: { says: 'an action id that does not start with -', pattern: NO_FLAG },
  CANDIDATE: { says: 'a candidate id that does not start with -', pattern: NO_FLAG },
  ROOT: { says: 'an absolute path', pattern: /^(?:\/|[A-Za-z]:[\\/]|\\\\)/ },
  BUDGET: { says: 'a number from 1 to 1000', pattern: /^(?:[1-9][0-9]{0,2}|1000)$/ },
  DIGEST: { says: 'a digest', pattern: /^sha256:[0-9a-f]{64}$/ },
} as const satisfies Record<string, { says: string; pattern: RegExp }>

type ValueName = keyof typeof VALUES

export type VariantRow = {
  id: string
  operations: readonly Operation[]
  words: string
  inputs: readonly NextInput[]
}

const budget: NextInput = { name: 'budget', type: 'string', flag: '--budget', required: false }
const goalFile: NextInput = { name: 'goal_file', type: 'path', flag: '--goal-file', required: true }
const sourceFile: NextInput = { name: 'source_file', type: 'path', flag: '--source-file', required: true }
const issueUrl: NextInput = { name: 'issue_url', type: 'string', flag: '--issue', required: true }
const outcomeFile: NextInput = { name: 'outcome_file', type: 'path', flag: '--outcome-file', required: true }
const textFile: NextInput = { name: 'text_file', type: 'path', flag: '--text-file', required: true }
const surface: NextInput = {
  name: 'surface',
  type: 'enum',
  flag: '--surface',
  required: true,
  choices: ['ide', 'cli'],
}

const ofAction = (command: string) => `drover protocol ${command} --run RUN --action ACTION --root ROOT`
const RESUME = 'drover protocol resume RUN --root ROOT'
const RUN = 'drover run --budget BUDGET --json --root ROOT [--no-review]'
const STATUS = 'drover status --root ROOT --json'
const STATUS_OF_RUN = 'drover status RUN --root ROOT --json'
const LIST = 'drover list --root ROOT --json'
const DOCTOR = 'drover doctor --root ROOT --json'

const rows = (operation: Operation, each: readonly (readonly [id: string, words: string, ...inputs: NextInput[]])[]) =>
  each.map(([id, words, ...inputs]): VariantRow => ({ id, operations: [operation], words, inputs }))

export const VARIANTS: readonly VariantRow[] = [
  ...rows('action', [
    ['submit-outcome-file', ofAction('submit'), outcomeFile],
    ['submit-outcome-stdin', `${ofAction('submit')} --outcome-stdin`],
  ]),
  { id: 'skip-action', operations: ['action', 'answer', 'resume'], words: ofAction('skip'), inputs: [] },
  ...rows('answer', [
    ['answer-decision', ofAction('answer'), textFile],
    [
      'confirm-destructive',
      `${ofAction('answer')} --confirm-destructive --scope-sha256 DIGEST`,
      { ...textFile, required: false },
    ],
    ['decline-or-feedback', ofAction('answer'), textFile],
  ]),
  ...rows('resume', [
    ['resume-ad-hoc', RESUME, budget],
    ['refresh-source', RESUME, sourceFile, budget],
    ['refresh-source', `${RESUME} --budget BUDGET`, sourceFile],
    ['use-pinned-source', `${RESUME} --use-pinned-source`, budget],
    ['keep-pinned', `${RESUME} --source-choice pinned --candidate CANDIDATE`, budget],
    ['adopt', `${RESUME} --source-choice adopt --candidate CANDIDATE`, budget],
  ]),
  ...rows('start', [
    ['retry-run', RUN, goalFile],
    ['start-with-source', RUN, goalFile, sourceFile],
    ['start-from-issue', RUN, issueUrl],
    ['start-with-issue', RUN, goalFile, issueUrl],
  ]),
  ...rows('command', [
    ['inspect-run', STATUS_OF_RUN],
    ['inspect-runs', STATUS],
    ['list-runs', STATUS],
    ['inspect-run-in-its-workspace', STATUS_OF_RUN],
    ['inspect-run-in-its-workspace', STATUS],
    ['refresh-adapters', 'drover install --refresh --root ROOT --json'],
    ['run-doctor', DOCTOR],
    ['retry-doctor', DOCTOR],
    ['retry-list', LIST],
    ['list-host-adapters', LIST],
    ['inspect-host-adapters', LIST],
    ['install-kiro', 'drover install --root ROOT --tool kiro --json', surface],
  ]),
]

/** The values of a command. `options` are the optional words to include. */
export type VariantValues = { readonly [V in ValueName]?: string } & { readonly options?: readonly string[] }

/** Builds the variant with this id and exactly these values. */
export function makeVariant(id: string, values: VariantValues): NextVariant {
  const { options = [], ...named } = values
  const names = Object.keys(named).sort().join()
  const row = VARIANTS.find((each) => each.id === id && valueNames(each).sort().join() === names)
  if (row === undefined) throw new TypeError(`no variant ${id} with ${names || 'no values'}`)
  const [program = '', command = '', ...rest] = row.words.split(' ').flatMap((word) => {
    const option = optionIn(word)
    if (option !== undefined) return options.includes(option) ? [option] : []
    return [isValueName(word) ? String(values[word]) : word]
  })
  return { id, base_argv: [program, command, ...rest], inputs: row.inputs }
}

/** Why a command does not match a row; undefined if it does. */
export function mismatch(row: VariantRow, argv: readonly string[]): string | undefined {
  const words = row.words.split(' ')
  const fewest = words.filter((word) => optionIn(word) === undefined).length
  const hasLength = argv.length >= fewest && argv.length <= words.length
  const wrong = argv.findIndex((word, index) => !fits(word, words[index] ?? ''))
  return hasLength && wrong === -1 ? undefined : `must be ${row.words}${describeValue(words[wrong])}`
}

/** The value of `--root` in a command that matches a row. */
export function rootIn({ words }: VariantRow, argv: readonly string[]): string | undefined {
  return argv[words.split(' ').indexOf('ROOT')]
}

function fits(word: string, expected: string): boolean {
  if (!isValueName(expected)) return word === (optionIn(expected) ?? expected)
  return VALUES[expected].pattern.test(word) && word.isWellFormed()
}

function describeValue(word: string | undefined): string {
  return word !== undefined && isValueName(word) ? `, where ${word} is ${VALUES[word].says}` : ''
}

function valueNames(row: VariantRow): string[] {
  return row.words.split(' ').filter(isValueName)
}

function isValueName(word: string): word is ValueName {
  return Object.hasOwn(VALUES, word)
}

function optionIn(word: string): string | undefined {
  return /^\[(.*)\]$/.exec(word)?.[1]
}
