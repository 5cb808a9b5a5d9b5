/** `go test`: with `-v` or `-json` it lists every test, else those that failed. Pure. */
import {
  countFailed,
  type ListedTest,
  type ListingReader,
  type TestStatus,
  toListing,
  withoutSuites,
} from './listing.ts'

const RESULT = /^ *--- (PASS|FAIL|SKIP): (\S+) \([\d.]{1,20}s\)$/
const STARTED = /^=== RUN {3}\S/
/** As in `ok   example.com/weather 0.002s`, with tabs. */
const PACKAGE = /^(ok {2}|FAIL)\t(\S+)(.*)$/
const NOT_BUILT = /\[(?:build|setup) failed\]/
const STATUSES: Readonly<Record<string, TestStatus>> = {
  ...{ PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' },
  ...{ pass: 'passed', fail: 'failed', skip: 'skipped' },
}

export const readGo: ListingReader = (lines) => {
  const read = new GoTests()
  for (const line of lines) {
    const event = line.startsWith('{"') ? toEvent(line) : undefined
    if (event === undefined) read.addLine(line)
    else read.addEvent(event)
  }
  if (!read.hasPackages) return undefined
  const { tests, started, hasUnrunTests } = read
  // Every mode lists all failures of what was run.
  const failed = countFailed(withoutSuites(tests))
  return toListing(tests, { total: started > 0 ? started : undefined, read: tests.length, failed, hasUnrunTests })
}

type GoEvent = { Action?: unknown; Package?: unknown; Test?: unknown; Output?: unknown }

function toEvent(line: string): GoEvent | undefined {
  try {
    const value = JSON.parse(line) as GoEvent
    return typeof value.Action === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

class GoTests {
  readonly tests: ListedTest[] = []
  /** Of the package whose end was not yet seen. */
  #pending: { readonly name: string; readonly status: TestStatus }[] = []
  started = 0
  hasPackages = false
  hasUnrunTests = false

  addLine(line: string): void {
    const [, verdict = '', name] = RESULT.exec(line) ?? []
    const [, , packageName, rest = ''] = PACKAGE.exec(line) ?? []
    const status = STATUSES[verdict]
    if (STARTED.test(line)) this.started += 1
    else if (line.startsWith('panic: ') || NOT_BUILT.test(rest)) this.hasUnrunTests = true
    if (name !== undefined && status !== undefined) this.#pending.push({ name, status })
    if (packageName !== undefined) this.#endPackage(packageName)
  }

  addEvent({ Action: action, Package: packageName, Test: test, Output: output }: GoEvent): void {
    if (action === 'build-fail') this.hasUnrunTests = true
    if (typeof output === 'string' && output.startsWith('panic: ')) this.hasUnrunTests = true
    if (typeof packageName !== 'string') return
    this.hasPackages = true
    if (typeof test !== 'string') return
    const status = STATUSES[String(action)]
    if (action === 'run') this.started += 1
    if (status !== undefined) this.tests.push(toTest(packageName, test, status))
  }

  #endPackage(packageName: string): void {
    this.hasPackages = true
    this.tests.push(...this.#pending.map(({ name, status }) => toTest(packageName, name, status)))
    this.#pending = []
  }
}

function toTest(packageName: string, name: string, status: TestStatus): ListedTest {
  const slash = name.lastIndexOf('/')
  const parent = slash === -1 ? undefined : `${packageName}.${name.slice(0, slash)}`
  return { name: `${packageName}.${name}`, status, ...(parent !== undefined && { parent }) }
}
