/** `cargo test`. With `-q` it lists only the tests that failed. Pure. */
import { countsIn, type ListedTest, type ListingReader, sumOf, type TestStatus, toListing } from './listing.ts'

const TARGET = /^ +Running (?:unittests )?(\S+)(?: \(.*\))?$|^ +Doc-tests (\S+)$/
const BEGIN = /^running \d{1,9} tests?$/
const RESULT = /^test (.*) \.\.\. (ok|FAILED|ignored)(?:, .*)?$/
const QUIET_FAILURE = /^(\S.*) --- FAILED$/
const END = /^test result: (?:ok|FAILED)\. (.*)$/
const SHOULD_PANIC = ' - should panic'
/** A line above a test of the documentation changes its number. */
const DOC_LINE = / \(line \d{1,9}\)/
/** Without `--no-fail-fast` the targets after a failure do not run. */
const STOPPED = /^error: test failed, to rerun pass /
const ALL_RAN = /^error: \d{1,9} targets? failed:$/
const STATUSES: Readonly<Record<string, TestStatus>> = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' }

export const readCargo: ListingReader = (lines) => {
  const read = new CargoTests()
  for (const line of lines) read.add(line)
  const { tests, sums, isStopped } = read
  return sums && toListing(tests, { ...sums, read: tests.length, hasUnrunTests: isStopped })
}

class CargoTests {
  readonly tests: ListedTest[] = []
  /** Undefined until the first target has ended. */
  sums: { readonly total: number; readonly failed: number } | undefined
  isStopped = false
  #target = ''
  #isList = false

  add(line: string): void {
    const found = TARGET.exec(line)
    const end = END.exec(line)?.[1]
    if (found !== null) this.#target = found[1] ?? found[2] ?? ''
    else if (end !== undefined) this.#addCounts(countsIn(end))
    else if (STOPPED.test(line)) this.isStopped = true
    else if (ALL_RAN.test(line)) this.isStopped = false
    else this.#addInTarget(line)
  }

  #addCounts(counts: ReadonlyMap<string, number>): void {
    const { total = 0, failed = 0 } = this.sums ?? {}
    const added = sumOf(counts, ['passed', 'failed', 'ignored', 'measured'])
    this.sums = { total: total + added, failed: failed + sumOf(counts, ['failed']) }
  }

  #addInTarget(line: string): void {
    if (BEGIN.test(line)) this.#isList = true
    // What tests print follows, and may look like a result.
    else if (line === 'failures:') this.#isList = false
    else if (this.#isList) this.tests.push(...resultIn(line, this.#target))
  }
}

function resultIn(line: string, target: string): ListedTest[] {
  const [, listed, verdict = 'FAILED'] = RESULT.exec(line) ?? []
  const name = listed ?? QUIET_FAILURE.exec(line)?.[1]
  const status = STATUSES[verdict]
  if (name === undefined || status === undefined) return []
  const own = name.replace(DOC_LINE, '')
  const short = own.endsWith(SHOULD_PANIC) ? own.slice(0, -SHOULD_PANIC.length) : own
  return [{ name: target === '' ? short : `${target} > ${short}`, status }]
}
