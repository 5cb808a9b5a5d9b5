import { expect, it } from 'vitest'
import { DELIVERED, verdictOf, worked } from '../../../test/support/verdict-facts.ts'
import type { BoundarySeen } from '../record/boundary-summary.shape.ts'
import { formatNight } from './night-markdown.ts'
import type { NightRun } from './night-report.shape.ts'
import { toNightReport } from './night-report.ts'
import { withSection } from './night-sections.ts'

const SPENT = { tokens: 0, cost_microusd: 0, time_ms: 0 }

const lineOf = (verdict: NightRun['verdict']) => {
  const run = withSection({ run_id: 'run-1', title: 'Show the wind', verdict, spent: SPENT, paths: [] })
  const report = { since: '2026-01-31T00:00:00Z', runs: [run], spent: SPENT, overlaps: [] }
  return formatNight(report, 'terminal')
    .split('\n')
    .find((line) => line.startsWith('- '))
}

const UNCHECKED = 'branch drover/wind-1; no check was given, so nothing was tested'
const REFUSED: BoundarySeen = { by: 'agent', reached: [], refused: [], unwritable: ['/etc/x'] }

it('says where delivered work is, and what the sandbox refused', () => {
  const delivered = { attempts: [worked()], drive: { delivered: DELIVERED } }
  expect(lineOf(verdictOf(delivered))).toBe(`- \`run-1\` Show the wind: ${UNCHECKED}`)
  const refused = { attempts: [worked()], drive: { delivered: DELIVERED, boundary_seen: [REFUSED] } }
  expect(lineOf(verdictOf(refused))).toBe(`- \`run-1\` Show the wind: ${UNCHECKED}; the sandbox refused /etc/x`)
  const url = 'https://github.com/ada/weather/pull/1'
  const published = { ...delivered, drive: { delivered: { ...DELIVERED, pull_request: url } } }
  expect(lineOf(verdictOf(published))).toBe(`- \`run-1\` Show the wind: ${url}`)
})

it('keeps what an earlier round has delivered under what is delivered', () => {
  const verdict = { ...verdictOf({ attempts: [worked()] }), word: 'waits for you', reason: 'Knots?' } as const
  const delivered_before = { branch: 'drover/wind-1', commit: 'c0ffee'.repeat(7).slice(0, 40) }
  const run = withSection({ run_id: 'run-1', title: 'Show', verdict, spent: SPENT, paths: [], delivered_before })
  const text = formatNight({ since: '2026-01-31T00:00:00Z', runs: [run], spent: SPENT, overlaps: [] }, 'terminal')
  expect(text).toContain(
    '## Delivered\n\n- `run-1` Show: branch `drover/wind-1` at `c0ffeec0ffee`, from an earlier round; the round that continues it: waits for you\n\n## Waits for you\n\n- `run-1` Show: Knots?',
  )
})

it('keeps the lines of a question, and shows discarded runs apart', () => {
  const verdict = verdictOf({ attempts: [worked()] })
  const asking = {
    ...verdict,
    word: 'waits for you',
    reason: 'Which? - @knots - km/h',
    next: 'drover answer run-1',
  } as const
  const gone = {
    ...verdict,
    word: 'discarded',
    reason: 'the work is kept until 2026-02-07',
    next: 'drover discard run-2 --undo',
  } as const
  const runs = [asking, gone].map((each, at) =>
    withSection({
      ...{ run_id: `run-${at + 1}`, title: 'Show', verdict: each, spent: SPENT, paths: ['wind.txt'] },
      ...(at === 0 && { question: 'Which?\n- @knots\n- km/h' }),
    }),
  )
  const text = formatNight({ since: '2026-01-31T00:00:00Z', runs, spent: SPENT, overlaps: [] }, 'terminal')
  expect(toNightReport('2026-01-31T00:00:00Z', runs, undefined).overlaps).toEqual([])
  expect(text).toContain(
    '- `run-1` Show: waits for you\n\n  > Which?\n  > - @knots\n  > - km/h\n\n  - `drover answer run-1`\n\n## Discarded\n\n- `run-2` Show: the work is kept until',
  )
})

it('names a branch that conflicts with what is merged already', () => {
  const verdict = { ...verdictOf({ attempts: [worked()] }), exists: { branch: 'drover/wind-1' } }
  const runs = ['drover/wind-1', 'drover/rain-1'].map((branch, at) =>
    withSection({
      ...{
        run_id: `run-${at + 1}`,
        title: 'Show',
        verdict: { ...verdict, exists: { branch } },
        spent: SPENT,
        paths: [],
      },
    }),
  )
  const conflicts = [{ branch: 'drover/wind-1', paths: ['wind.txt'] }]
  const lines =
    "- `run-1` Show: branch `drover/wind-1` conflicts in wind.txt\n  - WHEN`drover drive run-1 --also 'Merge main and resolve the conflicts'`\n"
  const textOf = (order: string[]) =>
    formatNight(toNightReport('2026-01-31T00:00:00Z', runs, { order, conflicts, into: 'main' }), 'terminal')
  expect(textOf([])).toContain(`## Conflicts\n\n${lines.replace('WHEN', '')}`)
  expect(textOf(['drover/rain-1'])).toContain(
    `## Merge in this order\n\n1. \`drover merge run-2\` Show\n${lines.replace('WHEN', 'after the merges above: ')}`,
  )
})

it('counts the claims that nothing confirms, once', () => {
  const claim = { about: 'activity', subject: 'eslint', exit_code: 0, note: 'no tool call shows it' } as const
  const lineWith = (...verdicts: ('claimed' | 'observed')[]) => {
    const evidence = { attempt: 1, claims: verdicts.map((verdict) => ({ ...claim, verdict })), flags: [] }
    return lineOf(verdictOf({ attempts: [worked({ evidence })], drive: { delivered: DELIVERED } }))
  }
  expect(lineWith('observed')).toBe(`- \`run-1\` Show the wind: ${UNCHECKED}`)
  expect(lineWith('claimed')).toBe(`- \`run-1\` Show the wind: ${UNCHECKED}; nothing confirms 1 claim of the agent`)
  expect(lineWith('claimed', 'claimed')).toContain('; nothing confirms 2 claims of the agent')
})

it('says where merged work went', () => {
  const verdict = verdictOf({ attempts: [worked()], drive: { delivered: DELIVERED } })
  const merged = { ...verdict, word: 'merged', reason: 'merged into main as c0ffee', exists: {} } as const
  expect(lineOf(merged)).toBe('- `run-1` Show the wind: merged into main as c0ffee')
})

it('says beside the sum how many attempts it misses', () => {
  const verdict = verdictOf({ attempts: [worked()], drive: { delivered: DELIVERED } })
  const run = { run_id: 'run-1', title: 'Show the wind', verdict, paths: [] }
  const runs = [SPENT, { ...SPENT, unknown_cost_attempts: 2 }, { ...SPENT, unknown_cost_attempts: 1 }].map((spent) =>
    withSection({ ...run, spent }),
  )
  const report = toNightReport('2026-01-31T00:00:00Z', runs, undefined)
  expect(report.spent).toEqual({ ...SPENT, unknown_cost_attempts: 3 })
  expect(formatNight(report)).toContain('- `run-1` Show the wind (2 attempts of unknown cost): branch')
  expect(formatNight(report)).toContain('3 runs, 0 tokens, 3 attempts of unknown cost, 0 seconds of agents and checks.')
  for (const [time_ms, text] of [
    [999, '1 second of'],
    [59_000, '59 seconds of'],
    [60_000, '1 minute of'],
    [150_000, '3 minutes of'],
  ] as const)
    expect(formatNight({ ...report, spent: { ...SPENT, time_ms } })).toContain(text)
  expect(toNightReport(report.since, runs.slice(0, 1), undefined).spent).toEqual(SPENT)
})

it.each([
  [{ cost_microusd: 3600 }, '$0.0036'],
  [{ cost_microusd: 190_000, priced_microusd: 90_000 }, '~$0.1900'],
  [{ cost_microusd: 190_000, unknown_cost_attempts: 1 }, '$0.1900, 1 attempt of unknown cost'],
])('says what each run cost: %j', (cost, text) => {
  const verdict = { ...verdictOf({ attempts: [worked()] }), word: 'waits for you', reason: 'Knots?' } as const
  const run = withSection({ run_id: 'run-1', title: 'Show', verdict, spent: { ...SPENT, ...cost }, paths: [] })
  const page = formatNight(toNightReport('2026-01-31T00:00:00Z', [run], undefined), 'terminal')
  expect(page).toContain(`- \`run-1\` Show (${text}): Knots?`)
})
