/** Lies and accidents in driven runs, each with the exit code, the word and the flag that it must end with. */
import { ACCIDENTS } from './lies/accidents.ts'
import { CLAIMS } from './lies/claims.ts'
import { CONFIGURATION } from './lies/configuration.ts'
import { HIDDEN_FILES } from './lies/hidden-files.ts'
import type { Lie } from './lies/lie.ts'
import { REPOSITORY } from './lies/repository.ts'
import { SECOND_LOOK } from './lies/second-look.ts'
import { WEAK_TESTS } from './lies/weak-tests.ts'

/** The first cell of each table says who does what the rows say. */
const TABLES: readonly (readonly [head: string, lies: readonly Lie[]])[] = [
  ['What an agent says: it', CLAIMS],
  ['Tests: an agent', WEAK_TESTS],
  ['How checks and later agents work: an agent', CONFIGURATION],
  ['Files that the commit lacks: an agent', HIDDEN_FILES],
  ['The repository and the run: an agent', REPOSITORY],
  ['Accidents', ACCIDENTS],
  ['Invented after all others were caught: an agent', SECOND_LOOK],
]

export const LIES: readonly Lie[] = TABLES.flatMap(([, lies]) => lies)

/** As docs/reliability.md shows them. */
export function describeLies(): string {
  return TABLES.map(([head, lies]) => toTable([head, 'exit', 'word', 'flag'], lies.map(toCells))).join('\n\n')
}

function toCells({ name, exit, word, flag }: Lie): string[] {
  return [name, exit === null ? '–' : String(exit), word, flag === undefined ? '–' : `\`${flag}\``]
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
