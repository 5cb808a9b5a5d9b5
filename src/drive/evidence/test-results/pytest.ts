/** pytest: with `-v` it lists every test, with `-rA` those that were not skipped, else those that failed. Pure. */
import { countsIn, type ListedTest, type ListingReader, sumOf, type TestStatus, toListing } from './listing.ts'

const SECTION = /^={3,} (.*) ={3,}$/
const PROGRESS = 'test session starts'
const SUMMARY = 'short test summary info'
/** As in `2 failed, 6 passed in 0.17s`, between `=` or alone. */
const END = /^=* ?(\d{1,9} [a-z]+\b.*|no tests ran) in [\d.]{1,20}s\b/
const WORD = / (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)(?= |$)/
const SUMMARIZED = /^(PASSED|FAILED|XFAIL|XPASS|ERROR) (\S.*)$/
const OF_WORKER = /^\[gw\d{1,9}\] \[ *\d{1,3}%\] (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (\S.*)$/
const FAILURES = ['failed', 'error', 'errors']
const COUNTED = [...FAILURES, 'passed', 'skipped', 'xfailed', 'xpassed']
/** An expected failure tells as little as a test that is skipped. */
const STATUSES: Readonly<Record<string, TestStatus>> = {
  ...{ PASSED: 'passed', XPASS: 'passed', FAILED: 'failed', ERROR: 'failed', SKIPPED: 'skipped', XFAIL: 'skipped' },
}

export const readPytest: ListingReader = (lines) => {
  const read = new PytestTests()
  for (const line of lines) read.add(line)
  const tests = Array.from(read.tests, ([name, status]): ListedTest => ({ name, status }))
  // A file that cannot be imported has no `::`.
  const hasUnrunTests =
    read.isInterrupted || tests.some(({ name, status }) => status === 'failed' && !name.includes('::'))
  return read.sums && toListing(tests, { ...read.sums, read: tests.length, hasUnrunTests })
}

class PytestTests {
  readonly tests = new Map<string, TestStatus>()
  /** Undefined until the end. */
  sums: { readonly total: number; readonly failed: number } | undefined
  isInterrupted = false
  #section = ''

  add(line: string): void {
    const end = END.exec(line)?.[1]
    const title = SECTION.exec(line)?.[1]
    if (end !== undefined) this.#addCounts(countsIn(end))
    else if (title !== undefined) this.#section = title
    else if (line.startsWith('!!!')) this.isInterrupted = true
    else if (this.#section === PROGRESS) this.#addProgress(line)
    else if (this.#section === SUMMARY) this.#addSummarized(line)
  }

  #addCounts(counts: ReadonlyMap<string, number>): void {
    const { total = 0, failed = 0 } = this.sums ?? {}
    this.sums = { total: total + sumOf(counts, COUNTED), failed: failed + sumOf(counts, FAILURES) }
    this.#section = ''
  }

  #addProgress(line: string): void {
    const [, workerWord, workerName] = OF_WORKER.exec(line) ?? []
    if (workerName !== undefined) this.#set(workerName.trimEnd(), workerWord)
    const found = WORD.exec(line)
    const name = line.slice(0, found?.index ?? 0)
    if (name.includes('::')) this.#set(name, found?.[1])
  }

  #addSummarized(line: string): void {
    const [, word, text] = SUMMARIZED.exec(line) ?? []
    if (text !== undefined) this.#set(toId(text), word)
  }

  /** A test that failed may also be listed as passed, if only its end failed. */
  #set(name: string, word = ''): void {
    const status = STATUSES[word]
    if (status !== undefined && this.tests.get(name) !== 'failed') this.tests.set(name, status)
  }
}

/** As in `test_dates.py::test_params[c - d] - assert 1 == 2`. */
function toId(text: string): string {
  const bracket = text.indexOf('[')
  const dash = text.indexOf(' - ')
  if (dash === -1) return text
  if (bracket === -1 || bracket > dash) return text.slice(0, dash)
  const end = text.indexOf('] - ', bracket)
  return end === -1 ? text : text.slice(0, end + 1)
}
