/** The reporters `default` and `verbose` of vitest. The first lists a file that passes without its tests. Pure. */
import {
  type ListedTest,
  type ListingReader,
  OpenSuites,
  readSummaries,
  type TestStatus,
  toListing,
} from './listing.ts'

const BEGIN = /^ ?RUN +v\d/
const MARKED = /^( +)([\u2713\u2714\u00d7\u276f\u2193\u25a1]) (.*)$/
/** As in `dates.test.js (8 tests | 2 failed) 217ms`. */
const FILE = / \(\d{1,9} tests?\b[^()]*\)(?: [\d.]{1,20}m?s)?$/
/** As in `a suite (4)`. */
const SUITE = / \(\d{1,9}\)$/
const TIME = / [\d.]{1,20}m?s$/
const RETRIED = / \((?:retry|repeat) x\d{1,9}\)$/
const FAILED = /^ FAIL +(.*)$/
const SUMMARY = /^ +Tests +(.*)$/
const STATUSES: Readonly<Record<string, TestStatus>> = { '✓': 'passed', '✔': 'passed', '×': 'failed', '❯': 'failed' }
const SEPARATOR = ' > '
/** The columns before the mark of a file, of a test in it, and of each suite more. */
const INDENTS = { file: 1, test: 3, suite: 2 }

export const readVitest: ListingReader = (lines) => {
  if (!lines.some((line) => BEGIN.test(line))) return undefined
  const tree = new VitestTree()
  const sums = readSummaries(lines, SUMMARY, (line) => tree.add(line)) ?? { total: 0, failed: 0 }
  const { tests, hasUnrunTests } = tree
  return toListing(tests, { ...sums, read: tests.length, hasUnrunTests })
}

class VitestTree {
  readonly tests: ListedTest[] = []
  readonly #suites = new OpenSuites(SEPARATOR)
  readonly #failed = new Set<string>()
  hasUnrunTests = false

  add(line: string): void {
    const failed = FAILED.exec(line)?.[1]
    if (failed !== undefined) this.#addFailure(failed)
    const [, indent = '', mark, text] = MARKED.exec(line) ?? []
    if (mark === undefined || text === undefined) return
    if (indent.length === INDENTS.file) this.#addTopLine(mark, text)
    else if (indent.length >= INDENTS.test) this.#addInFile(indent.length, mark, text)
  }

  /** A file, or a test with its whole name. */
  #addTopLine(mark: string, text: string): void {
    if (FILE.test(text)) this.#suites.open(0, text.replace(FILE, ''))
    else if (text.includes(SEPARATOR)) this.#push({ name: toName(text) }, mark)
  }

  #addInFile(columns: number, mark: string, text: string): void {
    const depth = 1 + Math.floor((columns - INDENTS.test) / INDENTS.suite)
    if (SUITE.test(text)) this.#suites.open(depth, text.replace(SUITE, ''))
    else this.#push({ name: this.#suites.at(depth, toName(text)).name }, mark)
  }

  /** Failures are repeated at the end. */
  #addFailure(text: string): void {
    const bracket = text.endsWith(' ]') ? text.indexOf(' [ ') : -1
    // A file that cannot be loaded, as in `dates.test.js [ dates.test.js ]`.
    if (bracket !== -1) this.hasUnrunTests = true
    const name = bracket === -1 ? text : text.slice(0, bracket)
    if (!this.#failed.has(name)) this.#push({ name }, '×')
  }

  #push(test: { name: string }, mark: string): void {
    const status = STATUSES[mark] ?? 'skipped'
    this.tests.push({ ...test, status })
    if (status === 'failed') this.#failed.add(test.name)
  }
}

function toName(text: string): string {
  return text.replace(TIME, '').replace(RETRIED, '')
}
