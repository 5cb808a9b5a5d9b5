import { expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toFigures } from './run-figures.ts'

const claim = (subject: string, verdict: string) => ({ about: 'file', subject, verdict, note: '' })
const check = (passed: boolean, added = 0) => ({
  ...{ command: 'npm test', passed, duration_ms: 1, output: '' },
  tests: { passed: 1, failed: 0, skipped: 0, changes: [{ change: 'added', count: added }] },
})
const figures = (run: object) =>
  toFigures(run as DrivenRun).map(({ name, how, parts, says }) => {
    const shown = parts.map((part) => `${part.how} ${part.text}`)
    return `${name} ${how}: ${shown.join(', ')} (${says})`
  })

it('a run without work has no figures', () => {
  expect(figures({ attempts: [] })).toEqual([])
})

it('the last word about a claim counts, and the checks of the commit', () => {
  const attempts = [
    { checks: [check(false)], evidence: { claims: [claim('a', 'contradicted'), claim('b', 'claimed')] } },
    { checks: [check(true)], evidence: { claims: [claim('a', 'observed')] } },
    { checks: [], action_kind: 'review', how: 'answered' },
  ]
  expect(figures({ attempts })).toEqual([
    'Checks good: good 1 (1 passed, 0 failed)',
    'Claims unsure: good 1, unsure 1, bad 0 (1 observed, 1 claimed without proof, 0 contradicted)',
    'Review good: good 0 (0 findings)',
  ])
  const clean = { result: 'failed', checks: [check(false, 3), check(true)] }
  const boundary = { enforced_by: 'bubblewrap', refused: [{}] }
  expect(figures({ attempts: attempts.slice(0, 1), delivery_check: clean, boundary })).toEqual([
    'Checks bad: good 1, bad 1 (1 passed, 1 failed)',
    'Claims bad: good 0, unsure 1, bad 1 (0 observed, 1 claimed without proof, 1 contradicted)',
    'Tests calm: calm +3 (3 added)',
    'Boundary unsure: unsure 1 refused (1 refused)',
  ])
})

it('work without checks is shown as untested', () => {
  const attempts = [{ checks: [], action_kind: 'implement', how: 'answered' }]
  expect(figures({ attempts, checks: [] })).toEqual([
    'Checks unsure: unsure none (none was given, so nothing was tested)',
  ])
  expect(figures({ attempts: [], checks: [] })).toEqual([])
})
