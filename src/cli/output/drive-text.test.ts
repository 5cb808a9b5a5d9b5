import { expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS } from '../../../test/support/drive-fixture.ts'
import type { DriveEvent } from '../../drive/record/drive-event.shape.ts'
import { describeRecord, describeSpent } from './drive-text.ts'
import { timesFor } from './format-amounts.ts'
import { formatLines } from './text-table.ts'
import { describeQueued } from './work-text.ts'

const attempt = attemptAt(actionOf('implement'))
const textOf = (type: string, data: object) =>
  describeRecord({ type, data } as unknown as DriveEvent, driveState([attempt]))
    .map((line) => (typeof line === 'string' ? line : line.text))
    .join('\n')

it.each([
  ['completed', 'agent', '  outcome: completed'],
  ['partial', 'agent', '  outcome: completed in part'],
  ['needs_input', 'agent', '  outcome: a question to a person'],
  ['error', 'drover', '  outcome: an error (written by drover)'],
])('an outcome that is %s has words for people', (status, by, line) => {
  expect(textOf('outcome_submitted', { status, by })).toBe(line)
})

it('a judged requirement is named', () => {
  const wanted = { id: 'asked-1', from: 'person' as const, text: `Also km/h ${'and so on '.repeat(19)}` }
  const verdicts = [{ id: 'asked-1', verdict: 'not_done' as const, text: 'not for me' }]
  const event = { type: 'requirements_judged', at: '', data: { verdicts } } satisfies DriveEvent
  const [line] = describeRecord(event, driveState([], { requirements: [wanted] }))
  expect(line).toMatchObject({
    text: expect.stringMatching(/^ {2}requirement 1 \(Also km\/h .{80,90}…\): not done: not for me$/),
  })
})

it('runs that are queued together have limits, each and together', () => {
  const options = {
    ...OPTIONS,
    checks: ['make'],
    max_tokens: 900,
  }
  const lines = describeQueued(options, {
    isReviewed: false,
    totals: { max_tokens: 5000, max_cost_microusd: 2_000_000 },
  })
  expect(lines.slice(2)).toEqual(
    ['Limits: 900 tokens', 'Limits of all these runs: 5000 tokens, $2.00'].map((text) => ({ text, keepsPaths: true })),
  )
})

it.each([
  [true, 'Work by claude, review by codex'],
  [false, 'Work by claude, no review'],
  [undefined, 'Work by claude, review by codex'],
])('the first lines say who reviews (is_reviewed: %s)', (is_reviewed, line) => {
  const place = { kind: 'in_place', root: '/work' }
  const started = { run_id: 'run-1', goal: 'g', place, round: 1, options: OPTIONS, is_reviewed }
  expect(textOf('drive_started', started).split('\n')).toContain(line)
})

it.each([
  [
    'waiting_for_limit',
    { backend: 'claude', code: 'x', until: '2026-01-31T11:00:00.000Z' },
    'Waiting until 2026-01-31T11:00:00.000Z: claude is limited',
    /^Waiting until \d\d:00, in 1 h: claude is limited$/,
  ],
  [
    'waiting_for_limit',
    { backend: 'claude', code: 'x', until: '2026-01-31T11:00:00.000Z', is_guess: true },
    'Waiting until 2026-01-31T11:00:00.000Z: claude is limited; reset time unknown, tries again then',
    /^Waiting until \d\d:00, in 1 h: claude is limited; reset time unknown, tries again then$/,
  ],
  [
    'agent_retries',
    { attempt: 1, count: 2, since: '2026-01-31T09:50:00.000Z', message: 'refused' },
    '  claude retries since 2026-01-31T09:50:00.000Z, 2 times so far: refused',
    /^ {2}claude retries since \d\d:50, 10 min ago, 2 times so far: refused$/,
  ],
])('a pipe gets the timestamp of %s, and a terminal the local time', (type, data, piped, shown) => {
  expect(textOf(type, data)).toBe(piped)
  const times = timesFor({ isTty: true }, () => new Date('2026-01-31T10:00:00.000Z'))
  const [line] = describeRecord({ type, data } as unknown as DriveEvent, driveState([attempt]), times)
  expect(line).toMatchObject({ text: expect.stringMatching(shown) })
})

it.each([
  [undefined, 'what is open'],
  [['finding wind.txt:1: Rounded'], 'finding wind.txt:1: Rounded'],
  [['a', 'b', 'c'], 'a; b; c'],
  [['a', 'b', 'c', 'd'], 'a; b; c; 1 more'],
])('says in one line what starts a round: %j', (open, list) => {
  const next_run_id = '0123456789abcdef'
  expect(textOf('round_started', { next_run_id, open })).toBe(`Round 2, run 01234567, works on: ${list}`)
})

it('a claim that was not observed has the words of the report', () => {
  const test = { about: 'activity', subject: 'make test', exit_code: 0, verdict: 'claimed' }
  const file = { about: 'file', subject: 'a.ts', verdict: 'contradicted', note: 'git shows no change of it' }
  const text = textOf('evidence', { claims: [{ ...test, note: 'no tool call shows it' }, file], flags: [] })
  expect(text.split('\n').slice(1)).toEqual([
    '    make test exited with 0: claimed, no tool call shows it',
    '    changed a.ts: contradicted, git shows no change of it',
  ])
})

it('the text of an agent is indented on every row, and the path of the worktree is whole', () => {
  const out: Parameters<typeof formatLines>[1] = { style: (_style, text) => text, isTty: true, columns: 40 }
  const path = `/tmp/${'a'.repeat(60)}`
  const rows = formatLines([`  ${path}`, { text: `Worktree ${path}`, keepsPaths: true }], out)
  expect(rows).toEqual([`  ${path.slice(0, 37)}`, `  ${path.slice(37)}`, 'Worktree', path])
})

it.each([
  [{ cost_microusd: 19_000 }, false, '2 attempts · 0 tokens · $0.0190 · 1 attempt of unknown cost · 20 ms'],
  [{}, false, '2 attempts · 0 tokens · 2 attempts of unknown cost · 20 ms'],
  [{}, true, '2 attempts · 0 tokens · 1 attempt of unknown cost · 20 ms'],
])('a sum says how many attempts it misses: %j, driven: %j', (end, isDriven, text) => {
  const ended = attemptAt(actionOf('implement'), {}, { how: 'answered', duration_ms: 20, ...end })
  const running = attemptAt(actionOf('implement'), { attempt: 2 }, null)
  expect(describeSpent([driveState([ended, running])], { isDriven }).replace(/ · \d with unknown usage/, '')).toBe(text)
})
