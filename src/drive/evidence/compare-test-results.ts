/** Which tests were added, fixed, broken, skipped and removed between two runs of a check. Pure. */
import { listSome } from '../../kit/wording.ts'
import { TEST_CHANGES } from '../record/test-changes.ts'
import type { TestChange, TestResults } from '../record/test-results.shape.ts'
import type { TestStatus } from './test-results/listing.ts'

type Change = TestChange['change']

/** Names that are shown of each change. */
const MAX_NAMES = 10

/** What is known about a test: all of its results, because several tests can have the same name. */
type Statuses = readonly TestStatus[]

/** None if different test runners wrote them: their names differ. */
export function compareTestResults(before: TestResults | undefined, after: TestResults | undefined): TestChange[] {
  if (before === undefined || after === undefined || before.runner !== after.runner) return []
  const [then, now] = [statusesIn(before), statusesIn(after)]
  const names = new Map(TEST_CHANGES.map((change) => [change, [] as string[]]))
  for (const name of new Set([...then.keys(), ...now.keys()])) {
    const changes = changesOf(then.get(name) ?? [], now.get(name) ?? [], { before, after })
    for (const change of changes) names.get(change)?.push(name)
  }
  return Array.from(names, ([change, all]) => toTestChange(change, all)).filter(({ count }) => count > 0)
}

const NO_SETBACKS: readonly Change[] = ['still_failing', 'no_longer_failing', 'fixed', 'added']

function toTestChange(change: Change, all: readonly string[]): TestChange {
  const named = { change, count: all.length, names: all.slice(0, MAX_NAMES) }
  return { ...named, is_setback: !NO_SETBACKS.includes(change), text: describeTestChange(named) }
}

function statusesIn({ failed, passed, skipped }: TestResults): ReadonlyMap<string, Statuses> {
  const found = new Map<string, TestStatus[]>()
  for (const [status, names] of Object.entries({ failed, passed, skipped })) {
    for (const name of names) {
      const known = found.get(name)
      if (known === undefined) found.set(name, [status as TestStatus])
      else known.push(status as TestStatus)
    }
  }
  return found
}

type Runs = { readonly before: TestResults; readonly after: TestResults }

/** Results that are equal belong together. What is left changed, was added or was removed. */
function changesOf(then: Statuses, now: Statuses, runs: Runs): Change[] {
  const before = without(then, now)
  const after = without(now, then)
  const failing = then.filter((status) => status === 'failed').length
  const failingLeft = before.filter((status) => status === 'failed').length
  return [
    ...Array.from({ length: failing - failingLeft }, (): Change => 'still_failing'),
    ...before.flatMap((status, at) => {
      const next = after[at]
      return next === undefined ? goneAs(status, runs.after) : changedAs(status, next)
    }),
    ...after.slice(before.length).flatMap((status) => newAs(status, runs.before)),
  ]
}

function without(statuses: Statuses, others: Statuses): Statuses {
  const left = [...others]
  return statuses.filter((status) => {
    const at = left.indexOf(status)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

function changedAs(before: TestStatus, after: TestStatus): Change[] {
  if (after === 'skipped') return [before === 'failed' ? 'failing_skipped' : 'skipped']
  if (after === 'failed') return [before === 'passed' ? 'broken' : 'newly_failing']
  return before === 'failed' ? ['fixed'] : []
}

/** A test that is not listed was removed only if the runner lists all. */
function goneAs(before: TestStatus, { listed }: TestResults): Change[] {
  if (listed === 'all') return [before === 'failed' ? 'failing_removed' : 'removed']
  return listed === 'failures' && before === 'failed' ? ['no_longer_failing'] : []
}

/** A test that was not listed is new only if the runner listed all. */
function newAs(after: TestStatus, { listed }: TestResults): Change[] {
  if (after === 'failed') return listed === 'some' ? [] : ['newly_failing']
  return listed === 'all' ? ['added'] : []
}

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
function describeTestChange({ change, count, names }: Named & Pick<TestChange, 'change'>): string {
  const counted = count === 1 ? WORDS[change] : `${WORDS[change]} (${count} tests)`
  return `${counted}: ${listTests({ count, names })}`
}

export function listTests({ count, names }: Named): string {
  return listSome(names, names.length, count)
}
