import { describe, expect, it } from 'vitest'
import type { TestResults } from '../record/test-results.shape.ts'
import { compareTestResults } from './compare-test-results.ts'

const NONE = { runner: 'node', listed: 'all', failed: [], skipped: [], passed: [] } satisfies TestResults
const run = (more: Partial<TestResults> = {}): TestResults => ({ ...NONE, ...more })

/** As in `broken a, b`. */
const changes = (before: TestResults | undefined, after: TestResults | undefined) =>
  compareTestResults(before, after).map(({ change, names }) => `${change} ${names.join(', ')}`)

describe('two runs that list every test', () => {
  it('show each change by name, the worst first', () => {
    const before = run({ passed: ['a', 'b', 'c', 'd'], failed: ['e', 'f', 'g', 'h'], skipped: ['i', 'j'] })
    const after = run({ passed: ['a', 'e', 'new', 'i'], failed: ['b', 'f', 'j', 'other'], skipped: ['c', 'g'] })
    expect(changes(before, after)).toEqual([
      'broken b',
      'newly_failing j, other',
      'failing_removed h',
      'failing_skipped g',
      'removed d',
      'skipped c',
      'still_failing f',
      'fixed e',
      'added new',
    ])
  })

  it.each([
    [['passed', 'failed'], ['failed'], ['removed x', 'still_failing x']],
    [['passed', 'failed'], ['passed'], ['failing_removed x']],
    [['passed', 'failed'], ['passed', 'passed'], ['fixed x']],
    [['passed', 'passed'], ['failed', 'passed'], ['broken x']],
    [['passed'], ['passed', 'passed'], ['added x']],
    [
      ['passed', 'failed'],
      ['failed', 'failed'],
      ['broken x', 'still_failing x'],
    ],
  ] as const)('pair tests of the same name: %j and then %j', (then, now, expected) => {
    const results = (statuses: readonly string[]) => {
      const of = (wanted: string) => statuses.filter((status) => status === wanted).map(() => 'x')
      return run({ passed: of('passed'), failed: of('failed'), skipped: of('skipped') })
    }
    expect(changes(results(then), results(now)).toSorted()).toEqual([...expected])
  })
})

describe('a run that lists only failures', () => {
  const failures = (...failed: string[]) => run({ listed: 'failures', failed })

  it('adds and removes no tests', () => {
    expect(changes(failures('a', 'b'), failures('b', 'c'))).toEqual([
      ...['newly_failing c', 'still_failing b', 'no_longer_failing a'],
    ])
    expect(changes(run({ passed: ['a', 'b'] }), failures('b', 'c'))).toEqual(['broken b', 'newly_failing c'])
    expect(changes(failures(), run({ passed: ['a'] }))).toEqual([])
  })
})

describe('a run that lists some tests', () => {
  it('shows only changes of tests that both runs name', () => {
    const some = (more: Partial<TestResults>) => run({ listed: 'some', ...more })
    expect(changes(some({ passed: ['a'], failed: ['b'] }), some({ failed: ['a', 'c'], passed: ['d'] }))).toEqual([
      'broken a',
    ])
  })
})

it('compares nothing without two runs of one runner', () => {
  const before = run({ passed: ['a'] })
  expect(changes(before, undefined)).toEqual([])
  expect(changes(undefined, before)).toEqual([])
  expect(changes(before, run({ runner: 'tap' }))).toEqual([])
})

it.each([
  [10, 10],
  [11, 10],
])('names the first ten of %i tests', (count, shown) => {
  const passed = Array.from({ length: count }, (_, at) => `test ${at}`)
  const names = passed.slice(0, shown)
  const text = `added (${count} tests): ${names.join(', ')}${count > shown ? ' and 1 more' : ''}`
  expect(compareTestResults(run(), run({ passed }))).toEqual([
    { change: 'added', count, names, is_setback: false, text },
  ])
})

it('says in words what became of a test, and whether it is a setback', () => {
  const [change] = compareTestResults(run({ passed: ['parses dates'] }), run({ failed: ['parses dates'] }))
  expect(change).toMatchObject({ is_setback: true, text: 'broke: parses dates' })
})
