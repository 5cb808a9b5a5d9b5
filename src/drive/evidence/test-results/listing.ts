/** The tests that a test runner lists in its output. Pure. */

export type TestStatus = 'passed' | 'failed' | 'skipped'

/** Names contain the file and the suites of a test, as far as the runner shows them. */
export type ListedTest = {
  readonly name: string
  readonly status: TestStatus
  /** The name of the suite or test that contains it. */
  readonly parent?: string
}

/**
 * `all`: every test that exists is listed. `failures`: every test that failed is. `some`: others may have failed.
 * A runner states how many tests there were, so a list with another count is not trusted.
 */
type Listed = 'all' | 'failures' | 'some'

export type Listing = { readonly tests: readonly ListedTest[]; readonly listed: Listed }

/** Undefined if the output is not from this runner. */
export type ListingReader = (lines: readonly string[]) => Listing | undefined

type Stated = {
  /** How many entries the runner says it has listed. Undefined if it does not say. */
  readonly total: number | undefined
  readonly failed?: number
  /** How many entries were read. */
  readonly read: number
  /** A file could not be loaded, or the run was ended: there are tests that did not run. */
  readonly hasUnrunTests?: boolean
}

export function toListing(tests: readonly ListedTest[], { total, failed, read, hasUnrunTests }: Stated): Listing {
  const leaves = withoutSuites(tests)
  if (hasUnrunTests === true) return { tests: leaves, listed: 'some' }
  if (total === read) return { tests: leaves, listed: 'all' }
  return { tests: leaves, listed: failed === countFailed(leaves) ? 'failures' : 'some' }
}

export function countFailed(tests: readonly ListedTest[]): number {
  return tests.filter(({ status }) => status === 'failed').length
}

/** A suite is listed only if it failed although nothing in it did. */
export function withoutSuites(tests: readonly ListedTest[]): ListedTest[] {
  const parents = new Set<string>()
  const blamed = new Set<string>()
  for (const { parent, status } of tests) {
    if (parent === undefined) continue
    parents.add(parent)
    if (status === 'failed') blamed.add(parent)
  }
  return tests.filter(({ name, status }) => !parents.has(name) || (status === 'failed' && !blamed.has(name)))
}

/** As in `2 failed, 6 passed`. */
export function countsIn(text: string): ReadonlyMap<string, number> {
  const found = text.matchAll(/\b(\d{1,9}) ([a-z]+)/g)
  return new Map(Array.from(found, ([, count, word]) => [word ?? '', Number(count)]))
}

/** The sum of those that are named. */
export function sumOf(counts: ReadonlyMap<string, number>, words: readonly string[]): number {
  return words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)
}

const COUNTED = ['failed', 'passed', 'skipped', 'todo']

/** The sums of all summaries, such as `Tests: 2 failed, 6 passed`; undefined without one. All other lines go to `add`. */
export function readSummaries(lines: readonly string[], summary: RegExp, add: (line: string) => void) {
  let sums: { total: number; failed: number } | undefined
  for (const line of lines) {
    const text = summary.exec(line)?.[1]
    if (text === undefined) add(line)
    else {
      const counts = countsIn(text)
      const { total = 0, failed = 0 } = sums ?? {}
      sums = { total: total + sumOf(counts, COUNTED), failed: failed + sumOf(counts, ['failed']) }
    }
  }
  return sums
}

/** A longer name is cut in the middle. */
export const MAX_NAME = 200
const HALF_NAME = MAX_NAME / 2
/** Suites in suites that are told apart. */
const MAX_DEPTH = 20

export function cutName(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, HALF_NAME)}…${name.slice(1 - HALF_NAME)}`
}

/** The name of the suite at each depth, for reports that are indented. */
export class OpenSuites {
  readonly #separator: string
  #names: string[] = []

  constructor(separator: string) {
    this.#separator = separator
  }

  open(depth: number, name: string): void {
    if (depth < MAX_DEPTH) this.#names = [...this.#names.slice(0, depth), cutName(name)]
  }

  /** What is directly in the suites above this depth. */
  at(depth: number, name: string): { name: string; parent?: string } {
    const above = this.#names.slice(0, depth)
    const parent = above.join(this.#separator)
    return above.length === 0 ? { name } : { name: `${parent}${this.#separator}${name}`, parent }
  }
}

/** Runners of JavaScript list a file that cannot be loaded like a failed test. */
export function isUnloadedFile({ name, status }: ListedTest): boolean {
  return status === 'failed' && /\.[cm]?[jt]sx?$/.test(name)
}
