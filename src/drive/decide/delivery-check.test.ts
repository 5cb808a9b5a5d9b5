import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS, treeOf } from '../../../test/support/drive-fixture.ts'
import type { DeliveryCheck } from '../record/drive-state.ts'
import { checkResults } from './check-results.ts'
import { explainDeliveryCheck, whyCheckIsSkipped } from './delivery-check.ts'

const COMMIT = 'c0ffee'
const options = { ...OPTIONS, checks: ['npm test', 'npm run lint'] }
const ended = { duration_ms: 1, output: '' }
const ran = (command: string, exit_code = 0) => ({ command, passed: exit_code === 0, exit_code, ...ended })
const runs = options.checks.map((command) => ({
  ...ran(command),
  attempt: 1,
  at: '',
  tree_id_before: 't',
  tree_id: 't',
}))
const work = attemptAt(actionOf('implement'), { checks: runs }, { tree: treeOf({ 'a.ts': '1' }) })

function resultsAfter(check: Partial<DeliveryCheck>) {
  const delivered = { as: 'branch', branch: 'b', commit: COMMIT, tree_id: 't' } as const
  const delivery_check = { commit: COMMIT, result: 'failed', checks: [], duration_ms: 1, ...check } as const
  return checkResults(driveState([work], { options, delivered, delivery_check }))
}

describe('checks in a clean checkout', () => {
  it('that fail there do not pass, whatever they said in the worktree', () => {
    expect(resultsAfter({ checks: [ran('npm test', 1), ran('npm run lint')] })).toMatchObject([
      {
        passed: false,
        result: 'ended with exit code 1 in a clean checkout of the commit; it passes in the worktree',
      },
      { passed: true, result: 'ended with exit code 0' },
    ])
  })

  it('do not pass if the setup fails there', () => {
    const results = resultsAfter({ setup_failed: { command: 'npm ci', exit_code: 1, ...ended } })
    expect(results.map(({ passed }) => passed)).toEqual([false, false])
    expect(results[0]?.result).toContain('could not run, because the setup failed')
  })

  it('count only for the delivered commit', () => {
    const results = resultsAfter({ commit: 'another', checks: [ran('npm test', 1), ran('npm run lint')] })
    expect(results.map(({ passed }) => passed)).toEqual([true, true])
  })

  it('are skipped only if a check fails or was not run in the worktree', () => {
    const of = (more: object) =>
      whyCheckIsSkipped(driveState([{ ...work, ...more }], { options }), { commit: COMMIT, tree_id: 't' })
    expect(of({})).toBeUndefined()
    expect(of({ checks: [{ ...runs[0], passed: false, exit_code: 1 }, runs[1]] })).toBe(
      'in the worktree, the check npm test ended with exit code 1',
    )
    expect(of({ checks: [runs[0]] })).toBe('in the worktree, the check npm run lint was not run')
  })

  it.each<[string, string[], string[], string]>([
    ['one', ['npm test'], [], 'the check npm test passes in the worktree and fails in a clean checkout of the commit'],
    ['two', ['npm test', 'npm run lint'], [], 'the checks npm test, npm run lint pass in the worktree and fail in'],
    ['five paths', ['npm test'], ['a', 'b', 'c', 'd', 'e'], 'files that are not committed: a, b, c, d, e'],
    ['six paths', ['npm test'], ['a', 'b', 'c', 'd', 'e', 'f'], 'not committed: a, b, c, d, e and 1 more'],
  ])('that fail are explained: %s', (_, failed, missing, text) => {
    const checks = options.checks.map((command) => ran(command, failed.includes(command) ? 1 : 0))
    expect(explainDeliveryCheck({ checks }, missing)).toContain(text)
  })
})
