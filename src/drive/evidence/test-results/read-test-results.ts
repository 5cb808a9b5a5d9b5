/** Which tests passed, failed and were skipped, as the output of a check tells it. Pure. */
import { stripVTControlCharacters } from 'node:util'
import type { TestResults } from '../../record/test-results.shape.ts'
import { readCargo } from './cargo.ts'
import { readGo } from './go.ts'
import { readJest } from './jest.ts'
import { readJunit } from './junit.ts'
import { cutName, type Listing, type ListingReader, type TestStatus } from './listing.ts'
import { readNodeSpec } from './node-spec.ts'
import { readPytest } from './pytest.ts'
import { readTap } from './tap.ts'
import { readVitest } from './vitest.ts'

type Format = {
  readonly runner: TestResults['runner']
  /** Text that its output has in any case. */
  readonly marks: readonly string[]
  readonly read: ListingReader
}

const FORMATS: readonly Format[] = [
  { runner: 'junit', marks: ['<testsuite'], read: readJunit },
  { runner: 'vitest', marks: ['RUN '], read: readVitest },
  { runner: 'jest', marks: ['Tests: '], read: readJest },
  { runner: 'pytest', marks: ['passed', 'failed', 'skipped', 'error', 'no tests ran'], read: readPytest },
  { runner: 'go', marks: ['ok  \t', 'FAIL\t', '"Package":'], read: readGo },
  { runner: 'cargo', marks: ['test result: '], read: readCargo },
  { runner: 'tap', marks: ['1..'], read: readTap },
  { runner: 'node', marks: ['\u2139 tests '], read: readNodeSpec },
]

export const MAX_TESTS = 5000
export const MAX_LINES = 50_000
/** A longer line is no line of a report. */
export const MAX_LINE = 4000
const COLOUR_BEGINS = ['\u001b', '\u009b']

/** Undefined if no known test runner has written it. A check that runs several is judged by the one with most tests. */
export function readTestResults(output: string, isCut = false): TestResults | undefined {
  const lines = output.split('\n')
  const kept = lines.slice(-MAX_LINES).map(toPlainLine)
  const isPartial = isCut || lines.length > MAX_LINES
  const found = FORMATS.flatMap(({ runner, marks, read }) => {
    const listing = hasMark(kept, marks) ? read(kept) : undefined
    return listing === undefined ? [] : [{ runner, listing }]
  })
  const [most] = found.sort((one, other) => other.listing.tests.length - one.listing.tests.length)
  return most && toResults(most.runner, isPartial ? { ...most.listing, listed: 'some' } : most.listing)
}

function hasMark(lines: readonly string[], marks: readonly string[]): boolean {
  return lines.some((line) => marks.some((mark) => line.includes(mark)))
}

function toPlainLine(line: string): string {
  if (line.length > MAX_LINE) return ''
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return COLOUR_BEGINS.some((begin) => text.includes(begin)) ? stripVTControlCharacters(text) : text
}

/** If there is no room for all tests, failures come first. */
function toResults(runner: TestResults['runner'], { tests, listed }: Listing): TestResults {
  const namesOf = (wanted: TestStatus) =>
    tests.filter(({ status }) => status === wanted).map(({ name }) => toText(name))
  const [failed, skipped, passed] = [namesOf('failed'), namesOf('skipped'), namesOf('passed')]
  const isTooLong = tests.length > MAX_TESTS
  const listedFailures = failed.length > MAX_TESTS ? 'some' : 'failures'
  const roomForPassed = Math.max(0, MAX_TESTS - failed.length - skipped.length)
  return {
    runner,
    listed: isTooLong && listed !== 'some' ? listedFailures : listed,
    failed: failed.slice(0, MAX_TESTS),
    skipped: skipped.slice(0, Math.max(0, MAX_TESTS - failed.length)),
    passed: passed.slice(0, roomForPassed),
  }
}

function toText(name: string): string {
  return cutName(
    name
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .toWellFormed(),
  )
}
