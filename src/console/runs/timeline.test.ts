import { expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import { toTimeline } from './timeline.ts'

const at = (second: number) => `2026-01-31T09:00:${String(second).padStart(2, '0')}.000Z`
const check = (passed: boolean, second: number) => ({
  ...{ command: 'npm test', exit_code: passed ? 0 : 1, duration_ms: 5, output: '' },
  ...{ passed, at: at(second) },
})
const attempt = (number: number, kind: string, rest: object) => ({
  ...{ attempt: number, action_kind: kind, purpose: 'action', backend: 'claude', how: 'answered' },
  ...{ checks: [], duration_ms: 3000, ...rest },
})
const event = (seq: number, second: number, type: string, data: Record<string, unknown>): DrivenRunEvent => ({
  ...{ seq, type, data, at: at(second) },
})

const RUN = {
  state: 'ended',
  verdict: { word: 'delivered' },
  last_seq: 9,
  answers: [{ action_id: 'a', text: 'Knots.', is_permit: false, at: `${at(3).slice(0, -4)}500Z` }],
  acts: [{ did: 'merged', at: at(12), text: 'merged into main by ada', by: {} }],
  attempts: [
    attempt(1, 'orient', { started_at: at(2) }),
    attempt(2, 'implement', { started_at: at(4), checks: [check(false, 5)] }),
    attempt(3, 'implement', { started_at: at(6), purpose: 'failed_check', checks: [check(true, 7)] }),
  ],
} as unknown as DrivenRun

const EVENTS = [
  event(1, 1, 'prepared', { duration_ms: 20 }),
  event(2, 2, 'attempt_started', {}),
  event(3, 3, 'attempt_ended', { outcome: '{"pause":{"question":"Knots?"}}' }),
  event(8, 8, 'delivery_checked', { result: 'passed' }),
  event(9, 9, 'delivered', { branch: 'drover/knots' }),
]

it('attempts, checks and events are in the order in which they happened', () => {
  expect(toTimeline(RUN, EVENTS).map(({ title, how, detail }) => `${title} ${how}: ${detail}`)).toEqual([
    'Setup good: 20 ms',
    'Orient good: claude · 3.0 s',
    'Question calm: Knots?',
    'Answer calm: Knots.',
    'Implement good: claude · 3.0 s',
    'Check bad: npm test',
    'Implement good: claude · again: failed check · 3.0 s',
    'Check good: npm test',
    'Clean checkout of the commit good: every check passes there',
    'Delivered good: drover/knots',
    'Merged good: merged into main by ada',
  ])
})

it.each([
  ['not delivered', 'the check npm test fails', 'the check npm test fails'],
  ['merged', 'merged into main before', 'in the worktree, the check npm test fails'],
] as const)('work of a run that is %s and whose check failed was not delivered', (word, reason, why) => {
  const skipped = { result: 'skipped', reason: 'in the worktree, the check npm test fails' }
  const events = [
    event(8, 8, 'delivery_checked', skipped),
    event(9, 9, 'delivered', { as: 'branch', branch: 'drover/knots', commit: 'c0ffee' }),
  ]
  const run = { ...RUN, verdict: { word, reason }, attempts: [], answers: [], acts: [] } as unknown as DrivenRun
  expect(toTimeline(run, events).map(({ icon, title, how, detail }) => [icon, title, how, detail])).toEqual([
    ['box', 'No clean checkout of the commit', 'calm', skipped.reason],
    ['cross', 'Not delivered', 'bad', `${why}; the work is on drover/knots`],
  ])
})

it('a question is open as long as the run waits for its answer', () => {
  const waiting = {
    ...RUN,
    state: 'waiting',
    last_seq: 4,
    waits_for: {},
    attempts: [],
    answers: [],
    acts: [],
  } as unknown as DrivenRun
  expect(toTimeline(waiting, EVENTS.slice(0, 3)).map(({ title, how }) => [title, how])).toEqual([
    ['Setup', 'good'],
    ['Question', 'waits'],
  ])
})
