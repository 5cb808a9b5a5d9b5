/** The reporter `spec` of `node --test`, which is its default. Pure. */
import {
  isUnloadedFile,
  type ListedTest,
  type ListingReader,
  OpenSuites,
  type TestStatus,
  toListing,
} from './listing.ts'

const RESULT = /^( *)([\u2714\u2716\ufe63\u26a0]) (.*) \([\d.]{1,20}ms\)( #.*)?$/
const SUITE = /^( *)\u25b6 (.*)$/
const COUNT = /^\u2139 (tests|suites|fail) (\d{1,9})$/
const INDENT = 2

export const readNodeSpec: ListingReader = (lines) => {
  const suites = new OpenSuites(' > ')
  const tests: ListedTest[] = []
  const counts = { tests: 0, suites: 0, fail: 0 }
  let hasCounts = false
  for (const [at, line] of lines.entries()) {
    const [, word, count] = COUNT.exec(line) ?? []
    const [, suiteIndent, suite] = SUITE.exec(line) ?? []
    if (word !== undefined) {
      hasCounts = true
      counts[word as keyof typeof counts] += Number(count)
    } else if (suite !== undefined) suites.open(depthOf(suiteIndent), suite)
    // Failures are repeated at the end, each below its place.
    else if (lines[at - 1]?.startsWith('test at ') !== true) tests.push(...resultIn(line, suites))
  }
  if (tests.length === 0 || !hasCounts) return undefined
  const hasUnrunTests = tests.some(isUnloadedFile)
  return toListing(tests, {
    ...{ total: counts.tests + counts.suites, read: tests.length },
    ...{ failed: counts.fail, hasUnrunTests },
  })
}

function resultIn(line: string, suites: OpenSuites): ListedTest[] {
  const [, indent, mark, name, directive] = RESULT.exec(line) ?? []
  if (mark === undefined || name === undefined) return []
  return [{ ...suites.at(depthOf(indent), name), status: toStatus(mark, directive) }]
}

/** What is to do may fail. */
function toStatus(mark: string, directive: string | undefined): TestStatus {
  if (directive !== undefined || mark === '﹣' || mark === '⚠') return 'skipped'
  return mark === '✔' ? 'passed' : 'failed'
}

function depthOf(indent = ''): number {
  return Math.floor(indent.length / INDENT)
}
