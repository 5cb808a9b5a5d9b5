import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS } from '../../../test/support/drive-fixture.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import { countColumns } from '../output/printable.ts'
import { type HeaderFacts, headerLines } from './drive-printer.ts'

const plain = (columns: number) => ({ columns, style: (_style: unknown, text: string) => text })
const linesOf = (state: DriveState, columns = 80, facts: Partial<HeaderFacts> = {}) =>
  headerLines({ state, sinceMs: 2000, usage: undefined, ...facts }, plain(columns))

const implement = actionOf('implement')
const place = { action_number: 2, actions_left: 6 }
const usage = { input_tokens: 100, output_tokens: 50, cached_tokens: 0, reasoning_tokens: 0 }
const done = { usage, cost_microusd: 250_000, duration_ms: 1000, outcome: '{}' }
const LIMITS = { ...OPTIONS, max_tokens: 5000, max_cost_microusd: 2_000_000, max_time_ms: 7_200_000 }

describe('headerLines', () => {
  it.each<[string, DriveState, string]>([
    ['before the first attempt', driveState(), '0 ms · 0 tokens'],
    [
      'while an agent works',
      driveState([attemptAt(implement, place, null)]),
      'action 2 of 8 · implement by claude · 2.0 s · 0 tokens',
    ],
    [
      'while a check runs',
      driveState([attemptAt(implement, place, done)], { options: { ...OPTIONS, checks: ['npm test'] } }),
      'action 2 of 8 · implement by claude · check npm test · 3.0 s · 150 tokens',
    ],
    [
      'while a check runs before the work',
      driveState([], { options: { ...OPTIONS, checks: ['npm test'], baseline: 'note' } }),
      'check npm test before the work · 0 ms · 0 tokens',
    ],
    [
      'while the commit is checked',
      driveState([attemptAt(actionOf('summarize'), place, done)], {
        options: { ...OPTIONS, checks: ['npm test'] },
        place: { kind: 'worktree', root: '/work', branch: 'drover/wind', base: 'a', repository: '/work' },
        submitted: [
          { action_id: actionOf('summarize').action_id, payload_sha256: '', status: 'completed', by: 'agent' },
        ],
      }),
      'summarize by claude · checks in a clean checkout',
    ],
    [
      'between two steps, with the cost',
      driveState([attemptAt(implement, place, done)]),
      'action 2 of 8 · implement by claude · 1.0 s · 150 tokens · $0.2500',
    ],
    ['with limits', driveState([], { options: LIMITS }), '0 ms of 2:00:00 · 0 of 5000 tokens · $0 of $2.00'],
  ])('shows where the run is %s', (_name, state, facts) => {
    const [rule, ...rest] = linesOf(state)
    expect(rule).toMatch(/^── Show the wind in knots ─+$/)
    expect(rest.join(' · ')).toContain(facts)
  })

  it('adds what the running attempt has reported so far', () => {
    const state = driveState([attemptAt(implement, place, null)])
    expect(linesOf(state, 80, { usage }).join('')).toContain('150 tokens')
  })

  it.each([20, 40, 80])('puts what does not fit on further lines, with %i columns', (columns) => {
    const state = driveState([attemptAt(implement, place, done)], {
      options: LIMITS,
      goal: '風の予報をノットで'.repeat(9),
    })
    const lines = linesOf(state, columns)
    expect(Math.max(...lines.map(countColumns))).toBeLessThan(columns)
    expect(lines.slice(1).join(' · ')).toContain('$0.2500 of $2.00')
  })
})
