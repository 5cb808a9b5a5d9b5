import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS, treeOf } from '../../../test/support/drive-fixture.ts'
import type { Attempt } from '../record/drive-state.ts'
import { checkResults } from './check-results.ts'

const options = { ...OPTIONS, checks: ['npm test'] }
const PASSED = { attempt: 1, command: 'npm test', passed: true, exit_code: 0, duration_ms: 1, output: '', at: '' }
const [implement, review] = [actionOf('implement'), actionOf('review')]
const [none, some, more] = [treeOf(), treeOf({ 'a.ts': '1' }), treeOf({ 'a.ts': '2' })]

const resultsOf = (attempts: readonly Attempt[], round = 1) =>
  checkResults(driveState(attempts, { options, round })).map(({ command, passed, result }) => [command, passed, result])

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
})
