/** What became of tests, in words. Pure. */
import type { TestChange } from '../record/test-results.shape.ts'

const WORDS: Readonly<Record<TestChange['change'], string>> = {
  broken: 'broke',
  newly_failing: 'newly failing',
  failing_removed: 'removed, was failing',
  failing_skipped: 'skipped, was failing',
  removed: 'removed',
  skipped: 'newly skipped',
  still_failing: 'still failing',
  no_longer_failing: 'no longer failing',
  fixed: 'fixed',
  added: 'added',
}

type Named = Pick<TestChange, 'count' | 'names'>

/** As in `broke: parses dates`, or `added (12 tests): a, b and 10 more`. */
export function describeTestChange({ change, count, names }: Named & Pick<TestChange, 'change'>): string {
  const counted = count === 1 ? WORDS[change] : `${WORDS[change]} (${count} tests)`
  return `${counted}: ${listTests({ count, names })}`
}

export function listTests({ count, names }: Named): string {
  const more = count - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
