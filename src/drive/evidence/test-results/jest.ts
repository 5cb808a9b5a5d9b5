/** jest: with `--verbose` it lists every test, else those that failed. Pure. */
import {
  type ListedTest,
  type ListingReader,
  OpenSuites,
  readSummaries,
  type TestStatus,
  toListing,
} from './listing.ts'

const FILE = /^(?:PASS|FAIL) (\S.*)$/
const FILE_TIME = / \([\d.]{1,20} m?s\)$/
const RESULT = /^( +)([\u2713\u2715\u25cb\u270e]) (?:skipped |todo )?(.*)$/
const SUITE = /^( +)(\S.*)$/
const TIME = / \([\d.]{1,20} m?s\)$/
const FAILURE = /^ {2}\u25cf (.*)$/
const SUMMARY = /^Tests: +(.*)$/
const UNLOADED = 'Test suite failed to run'
const STATUSES: Readonly<Record<string, TestStatus>> = { '✓': 'passed', '✕': 'failed' }
const SEPARATOR = ' › '
const INDENT = 2

export const readJest: ListingReader = (lines) => {
  const files = new JestFiles()
  const sums = readSummaries(lines, SUMMARY, (line) => files.add(line))
  if (sums === undefined || !files.hasFiles) return undefined
  const { tests, hasUnrunTests } = files
  return toListing(tests, { ...sums, read: tests.length, hasUnrunTests })
}

class JestFiles {
  readonly tests: ListedTest[] = []
  readonly #suites = new OpenSuites(SEPARATOR)
  readonly #failed = new Set<string>()
  hasFiles = false
  hasUnrunTests = false
  /** Undefined before the first file. */
  #file: string | undefined
  /** The tests of a file follow it, up to an empty line. */
  #isList = false

  add(line: string): void {
    const file = FILE.exec(line)?.[1]
    const failure = FAILURE.exec(line)?.[1]
    if (file !== undefined) this.#begin(file.replace(FILE_TIME, ''))
    else if (line === '') this.#isList = false
    else if (failure !== undefined) this.#addFailure(failure)
    else if (this.#isList) this.#addInList(line)
  }

  #begin(file: string): void {
    this.#file = file
    this.#suites.open(0, file)
    this.hasFiles = true
    this.#isList = true
  }

  #addInList(line: string): void {
    const [, indent = '', mark, text] = RESULT.exec(line) ?? []
    const [, suiteIndent = '', suite] = SUITE.exec(line) ?? []
    if (mark !== undefined && text !== undefined) {
      const { name } = this.#suites.at(indent.length / INDENT, text.replace(TIME, ''))
      this.#push(name, STATUSES[mark] ?? 'skipped')
    } else if (suite !== undefined) this.#suites.open(suiteIndent.length / INDENT, suite)
  }

  /** Failures are described after the list, and once more at the end. Console output has the same mark. */
  #addFailure(text: string): void {
    this.#isList = false
    if (this.#file === undefined || text === 'Console') return
    const isUnloaded = text === UNLOADED
    this.hasUnrunTests ||= isUnloaded
    const name = isUnloaded ? this.#file : `${this.#file}${SEPARATOR}${text}`
    if (!this.#failed.has(name)) this.#push(name, 'failed')
  }

  #push(name: string, status: TestStatus): void {
    this.tests.push({ name, status })
    if (status === 'failed') this.#failed.add(name)
  }
}
