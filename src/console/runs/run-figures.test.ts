import { expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toFigures } from './run-figures.ts'

const claim = (subject: string, verdict: string) => ({ about: 'file', subject, verdict, note: '' })
const check = (passed: boolean, added = 0) => ({
  ...{ command: 'npm test', passed, duration_ms: 1, output: '' },
  tests: { passed: 1, failed: 0, skipped: 0, changes: [{ change: 'added', count: added }] },
})
const figures = (run: object) => toFigures(run as DrivenRun).map(({ name, how, text }) => `${name} ${how} ${text}`)

it('a run without work has no figures', () => {
  expect(figures({ attempts: [] })).toEqual([])
})

it('the last word about a claim counts, and the checks of the commit', () => {
  const attempts = [
    { checks: [check(false)], evidence: { claims: [claim('a', 'contradicted'), claim('b', 'claimed')] } },
    { checks: [check(true)], evidence: { claims: [claim('a', 'observed')] } },
    { checks: [], action_kind: 'review', how: 'answered' },
  ]
  expect(figures({ attempts })).toEqual(['Checks good 1', 'Claims unsure 1 seen, 1 unproven', 'Review good 0 findings'])
  const clean = { result: 'failed', checks: [check(false, 3), check(true)] }
  const boundary = { enforced_by: 'bubblewrap', refused: [{}] }
  expect(figures({ attempts: attempts.slice(0, 1), delivery_check: clean, boundary })).toEqual([
    'Checks bad 1 of 2',
    'Claims bad 0 seen, 1 unproven, 1 wrong',
    'Tests calm +3',
    'Boundary unsure 1 refused',
  ])
})
