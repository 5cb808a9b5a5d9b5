import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS, treeOf } from '../../../test/support/drive-fixture.ts'
import type { Attempt, DriveState } from '../record/drive-state.ts'
import { checkResults, failsAlike, hasChangedFiles, leftByChecks, nextCheck } from './check-results.ts'

const options = { ...OPTIONS, checks: ['npm test'] }
const PASSED = { attempt: 1, command: 'npm test', passed: true, exit_code: 0, duration_ms: 1, output: '', at: '' }
const [implement, review] = [actionOf('implement'), actionOf('review')]
const [none, some, more] = [treeOf(), treeOf({ 'a.ts': '1' }), treeOf({ 'a.ts': '2' })]

const resultsOf = (attempts: readonly Attempt[], round = 1, delivered?: DriveState['delivered']) =>
  checkResults(driveState(attempts, { options, round, ...(delivered && { delivered }) })).map(
    ({ command, passed, result }) => [command, passed, result],
  )

const ENDED = [['npm test', true, 'ended with exit code 0']]
const NOT_RUN = [['npm test', false, 'was not run']]

describe('the result of a check', () => {
  it('is missing if nothing was changed', () => {
    expect(resultsOf([])).toEqual([])
    expect(resultsOf([attemptAt(implement, {}, { tree: none })])).toEqual([])
  })

  it('is that of the last run', () => {
    expect(resultsOf([attemptAt(implement, { checks: [PASSED] }, { tree: some })])).toEqual(ENDED)
  })

  it('is that it was not run, if files were changed or a round before left something open', () => {
    expect(resultsOf([attemptAt(implement, {}, { tree: some })])).toEqual(NOT_RUN)
    expect(resultsOf([attemptAt(implement, {}, { tree: none })], 2)).toEqual(NOT_RUN)
  })

  it('does not count any more if files were changed after it', () => {
    const checked = attemptAt(implement, { checks: [PASSED] }, { tree: some })
    expect(resultsOf([checked, attemptAt(implement, { attempt: 2, tree: some }, { tree: more })])).toEqual(NOT_RUN)
  })

  it('still counts if the check itself wrote a file', () => {
    const checked = attemptAt(implement, { checks: [PASSED] }, { tree: some })
    expect(resultsOf([checked, attemptAt(review, { attempt: 2, tree: more }, { tree: more })])).toEqual(ENDED)
  })

  it('counts only for the tree that is delivered, unless it is of an older record', () => {
    const delivered = { as: 'branch', branch: 'b', commit: 'c', tree_id: 'one' } as const
    const checkedOn = (before: string, after: string) =>
      attemptAt(implement, { checks: [{ ...PASSED, tree_id_before: before, tree_id: after }] }, { tree: some })
    expect(resultsOf([checkedOn('one', 'one')], 1, delivered)).toEqual(ENDED)
    expect(resultsOf([checkedOn('two', 'two')], 1, delivered)).toEqual(NOT_RUN)
    expect(resultsOf([checkedOn('two', 'one')], 1, delivered)).toMatchObject([
      ['npm test', false, expect.stringContaining('changed each time')],
    ])
    expect(resultsOf([attemptAt(implement, { checks: [PASSED] }, { tree: some })], 1, delivered)).toEqual(ENDED)
  })

  it('counts for its own command only, and a failed one for its own tree only', () => {
    const delivered = { as: 'branch', branch: 'b', commit: 'c', tree_id: 'one' } as const
    const two = { ...options, checks: ['make', 'npm test'] }
    const run = (command: string, before: string, after: string, passed = true) => {
      return { ...PASSED, command, passed, tree_id_before: before, tree_id: after }
    }
    const results = (...checks: ReturnType<typeof run>[]) =>
      checkResults(driveState([attemptAt(implement, { checks }, { tree: some })], { options: two, delivered })).map(
        ({ command, passed, result }) => [command, passed, result],
      )
    expect(results(run('make', 'one', 'one'))).toEqual([
      ['make', true, 'ended with exit code 0'],
      ['npm test', false, 'was not run'],
    ])
    expect(results(run('make', 'two', 'two'), run('npm test', 'two', 'one'))).toEqual([
      ['make', false, 'was not run'],
      ['npm test', false, expect.stringContaining('changed each time')],
    ])
    expect(results(run('make', 'two', 'two', false), run('npm test', 'one', 'one'))).toEqual([
      ['npm test', true, 'ended with exit code 0'],
      ['make', false, 'was not run'],
    ])
  })

  it('is about the tree after the last check, before the delivery', () => {
    const three = { ...options, checks: ['a', 'b', 'c'] }
    const run = (command: string, before: string, after: string) => {
      return { ...PASSED, command, tree_id_before: before, tree_id: after }
    }
    const checks = [run('a', 'one', 'one'), run('b', 'one', 'one'), run('c', 'two', 'two')]
    const state = driveState([attemptAt(implement, { checks }, { tree: some })], { options: three })
    expect(checkResults(state).map(({ command, passed }) => [command, passed])).toEqual([
      ['c', true],
      ['a', false],
      ['b', false],
    ])
    expect(nextCheck(['a', 'b', 'c'], checks)).toBe('a')
  })

  it('still counts while a later attempt runs', () => {
    const checked = attemptAt(implement, { checks: [PASSED] }, { tree: some })
    expect(resultsOf([checked, attemptAt(review, { attempt: 2, tree: some }, null)])).toEqual(ENDED)
  })

  it('is that it was not run, if files were changed between attempts or before the delivery', () => {
    const idle = attemptAt(implement, {}, { tree: none })
    expect(resultsOf([idle, attemptAt(review, { attempt: 2, tree: some }, { tree: some })])).toEqual(NOT_RUN)
    expect(resultsOf([idle], 1, { as: 'branch', branch: 'b', commit: 'c', tree_id: 'one' })).toEqual(NOT_RUN)
  })
})

describe('the next check', () => {
  const run = (command: string, tree_id_before: string, tree_id: string, more = {}) => ({
    ...{ ...PASSED, command, tree_id_before, tree_id },
    ...more,
  })

  it('is the first that was not run, then one that began before files were changed, once', () => {
    const [build, test] = ['make', 'npm test']
    const next = (...runs: Parameters<typeof nextCheck>[1]) => nextCheck([build, test], runs)
    expect(next()).toBe(build)
    expect(next(run(build, 'one', 'two'))).toBe(test)
    expect(next(run(build, 'one', 'two'), run(test, 'two', 'two'))).toBe(build)
    expect(next(run(test, 'one', 'one'), run(build, 'one', 'two', { is_repeated: true }))).toBe(test)
    expect(next(run(test, 'two', 'two'), run(build, 'one', 'two', { is_repeated: true }))).toBeUndefined()
    expect(next(run(build, 'one', 'one'), run(test, 'one', 'one'))).toBeUndefined()
    expect(next(run(build, 'one', 'one'), run(test, 'one', 'two', { passed: false }))).toBe(build)
    expect(next({ ...PASSED, command: build }, PASSED)).toBeUndefined()
    expect(next(run('old', 'one', 'two'), run(build, 'two', 'two'), run(test, 'two', 'two'))).toBeUndefined()
  })

  it('says what to do about a check that changes files each time', () => {
    const changing = { ...PASSED, tree_id_before: 'a', tree_id: 'b', is_repeated: true }
    const results = resultsOf([attemptAt(implement, { checks: [changing] }, { tree: some })])
    expect(results).toEqual([['npm test', false, expect.stringContaining('let git ignore what it writes')]])
  })
})

describe('two attempts fail alike', () => {
  const failed = { ...PASSED, passed: false, exit_code: 1 }
  const isAlike = (...outputs: string[]) => failsAlike(outputs.map((output) => ({ checks: [{ ...failed, output }] })))

  it.each([
    ['with the same output', isAlike('1 failed', '1 failed'), true],
    ['if only times differ', isAlike('1 failed in 0.2s, duration_ms 3.1', '1 failed in 11 s, duration_ms 4'), true],
    ['if the last two do', isAlike('2 failed', '1 failed', '1 failed'), true],
    ['not with another output', isAlike('2 failed', '1 failed'), false],
    ['not if there is one', isAlike('1 failed'), false],
    ['not if the checks pass', failsAlike([{ checks: [PASSED] }, { checks: [PASSED] }]), false],
    ['not if one was not checked', failsAlike([{ checks: [failed] }, { checks: [] }]), false],
    [
      'not with another exit code',
      failsAlike([{ checks: [failed] }, { checks: [{ ...failed, exit_code: 2 }] }]),
      false,
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toBe(expected)
  })
})

describe('a file that the agent left by running a check', () => {
  const putBack = ['__pycache__/wind.pyc', 'src/gen.ts', 'log.txt']
  const left = (path: string, reported: string[] = []) =>
    leftByChecks({ untracked: [path], tracked: ['wind.py', 'src/wind.ts', 'lib/a/b.ts'], putBack, reported }).length > 0

  it.each([
    ['was put back after the check', 'src/gen.ts', true],
    ['was put back, in the root', 'log.txt', true],
    ['is one of its kind in the same folder', '__pycache__/test_wind.pyc', true],
    ['is one of its kind in another such folder', 'rain/__pycache__/rain.pyc', true],
    ['is of another kind', '__pycache__/wind.py', false],
    ['is in a folder with other files', 'src/new.ts', false],
    ['is in the root', 'notes.txt', false],
  ] as const)('%s', (_, path, expected) => {
    expect(left(path)).toBe(expected)
  })

  it('is work if the agent reports it', () => {
    expect(left('src/gen.ts', ['src/gen.ts'])).toBe(false)
    expect(left('__pycache__/wind.pyc', ['__pycache__'])).toBe(false)
    expect(left('log.txt', ['.'])).toBe(false)
    expect(left('src/gen.ts', ['src/gen'])).toBe(true)
  })
})

describe('an attempt', () => {
  it.each([
    [none, none, false],
    [none, some, true],
    [none, { ...none, configuration: { '.env': '1' } }, true],
    [{ ...none, configuration: { '.env': '1' } }, { ...none, configuration: { '.env': '2' } }, true],
    [{ ...none, configuration: { '.env': '1' } }, none, true],
    [{ ...none, configuration: { '.env': '1' } }, { ...none, configuration: { '.env': '1' } }, false],
  ])('from %j to %j has changed files: %s', (tree, after, isChanged) => {
    expect(hasChangedFiles(attemptAt(review, { tree }, { tree: after }))).toBe(isChanged)
  })

  it('whose end is not known, or has no tree, has changed no files', () => {
    expect(hasChangedFiles(attemptAt(review, { tree: some }, null))).toBe(false)
    expect(hasChangedFiles(attemptAt(review, { tree: some }, { how: 'unknown' }))).toBe(false)
  })
})
