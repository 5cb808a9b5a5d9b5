/** The commands that `next` can offer, written out by hand, in the order of the protocol. */
import type { NextInput } from '../../src/contract/next.shape.ts'

export const GOAL: NextInput = { name: 'goal_file', type: 'path', flag: '--goal-file', required: true }
const SRC: NextInput = { name: 'source_file', type: 'path', flag: '--source-file', required: true }
const ISSUE: NextInput = { name: 'issue_url', type: 'string', flag: '--issue', required: true }
const TXT: NextInput = { name: 'text_file', type: 'path', flag: '--text-file', required: true }
const MAYBE_TXT: NextInput = { name: 'text_file', type: 'path', flag: '--text-file', required: false }
export const BUD: NextInput = { name: 'budget', type: 'string', flag: '--budget', required: false }
export const OUT: NextInput = { name: 'outcome_file', type: 'path', flag: '--outcome-file', required: true }
const SURFACE: NextInput = {
  name: 'surface',
  type: 'enum',
  flag: '--surface',
  required: true,
  choices: ['ide', 'cli'],
}

type Values = Readonly<Record<'RUN' | 'ACTION' | 'ROOT' | 'CANDIDATE' | 'BUDGET' | 'DIGEST', string>>

type Row = readonly [operation: string, id: string, words: string, inputs: readonly NextInput[]]

const ROWS: readonly Row[] = [
  ['action', 'submit-outcome-file', 'drover protocol submit --run RUN --action ACTION --root ROOT', [OUT]],
  [
    'action',
    'submit-outcome-stdin',
    'drover protocol submit --run RUN --action ACTION --root ROOT --outcome-stdin',
    [],
  ],
  ['action', 'skip-action', 'drover protocol skip --run RUN --action ACTION --root ROOT', []],
  ['answer', 'skip-action', 'drover protocol skip --run RUN --action ACTION --root ROOT', []],
  ['resume', 'skip-action', 'drover protocol skip --run RUN --action ACTION --root ROOT', []],
  ['answer', 'answer-decision', 'drover protocol answer --run RUN --action ACTION --root ROOT', [TXT]],
  [
    'answer',
    'confirm-destructive',
    'drover protocol answer --run RUN --action ACTION --root ROOT --confirm-destructive --scope-sha256 DIGEST',
    [MAYBE_TXT],
  ],
  ['answer', 'decline-or-feedback', 'drover protocol answer --run RUN --action ACTION --root ROOT', [TXT]],
  ['resume', 'resume-ad-hoc', 'drover protocol resume RUN --root ROOT', [BUD]],
  ['resume', 'refresh-source', 'drover protocol resume RUN --root ROOT', [SRC, BUD]],
  ['resume', 'refresh-source', 'drover protocol resume RUN --root ROOT --budget BUDGET', [SRC]],
  ['resume', 'use-pinned-source', 'drover protocol resume RUN --root ROOT --use-pinned-source', [BUD]],
  [
    'resume',
    'keep-pinned',
    'drover protocol resume RUN --root ROOT --source-choice pinned --candidate CANDIDATE',
    [BUD],
  ],
  ['resume', 'adopt', 'drover protocol resume RUN --root ROOT --source-choice adopt --candidate CANDIDATE', [BUD]],
  ['start', 'retry-run', 'drover run --budget BUDGET --json --root ROOT', [GOAL]],
  ['start', 'retry-run', 'drover run --budget BUDGET --json --root ROOT --no-review', [GOAL]],
  ['start', 'start-with-source', 'drover run --budget BUDGET --json --root ROOT', [GOAL, SRC]],
  ['start', 'start-with-source', 'drover run --budget BUDGET --json --root ROOT --no-review', [GOAL, SRC]],
  ['start', 'start-from-issue', 'drover run --budget BUDGET --json --root ROOT', [ISSUE]],
  ['start', 'start-from-issue', 'drover run --budget BUDGET --json --root ROOT --no-review', [ISSUE]],
  ['start', 'start-with-issue', 'drover run --budget BUDGET --json --root ROOT', [GOAL, ISSUE]],
  ['start', 'start-with-issue', 'drover run --budget BUDGET --json --root ROOT --no-review', [GOAL, ISSUE]],
  ['command', 'inspect-run', 'drover status RUN --root ROOT --json', []],
  ['command', 'inspect-runs', 'drover status --root ROOT --json', []],
  ['command', 'list-runs', 'drover status --root ROOT --json', []],
  ['command', 'inspect-run-in-its-workspace', 'drover status RUN --root ROOT --json', []],
  ['command', 'inspect-run-in-its-workspace', 'drover status --root ROOT --json', []],
  ['command', 'refresh-adapters', 'drover install --refresh --root ROOT --json', []],
  ['command', 'run-doctor', 'drover doctor --root ROOT --json', []],
  ['command', 'retry-doctor', 'drover doctor --root ROOT --json', []],
  ['command', 'retry-list', 'drover list --root ROOT --json', []],
  ['command', 'list-host-adapters', 'drover list --root ROOT --json', []],
  ['command', 'inspect-host-adapters', 'drover list --root ROOT --json', []],
  ['command', 'install-kiro', 'drover install --root ROOT --tool kiro --json', [SURFACE]],
]

type Command = {
  operation: string
  id: string
  argv: readonly string[]
  inputs: readonly NextInput[]
  /** Its values, and its optional words. */
  values: Partial<Values>
  options: readonly string[]
}

/** All rows, with these values for the words in capitals. */
export function commandsWith(values: Values): Command[] {
  return ROWS.map(([operation, id, words, inputs]) => {
    const template = words.split(' ')
    const names = template.filter((word): word is keyof Values => Object.hasOwn(values, word))
    return {
      operation,
      id,
      argv: template.map((word) => values[word as keyof Values] ?? word),
      inputs,
      values: Object.fromEntries(names.map((name) => [name, values[name]])),
      options: template.filter((word) => word === '--no-review'),
    }
  })
}
