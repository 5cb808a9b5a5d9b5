import { describe, expect, it } from 'vitest'
import { actionOf, attemptAt, driveState, OPTIONS } from '../../../test/support/drive-fixture.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { toVerdict } from '../../drive/decide/verdict.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { endLines } from './end-text.ts'

const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns: 80 }
const asked = { state: 'paused', current_action: {}, actions: [{ outcome: { pause: { question: 'Knots or km/h?' } } }] }
const digest = `sha256:${'3f2a'.repeat(16)}`
const ids = { RUN: '6f1c2c6e', ACTION: 'a', ROOT: '/srv' }
const choice = { RUN: ids.RUN, ROOT: ids.ROOT, CANDIDATE: 'c' }
const answer = { variants: [makeVariant('answer-decision', ids)] }
const request = { targets: [{ kind: 'path', value: 'a' }], impact: 'All is lost.', scope_sha256: digest }

const LATER = new Date('2026-01-31T12:00:00.000Z')

function linesFor(run: object, driven: Partial<DriveState> = {}, more: object = {}): string {
  const state = driveState(driven.attempts ?? [], driven)
  const outline = { actions: [], next: { variants: [] }, updated_at: '', ...run } as unknown as RunOutline
  const facts = {
    run: outline,
    drive: state,
    earlier: [],
    isDriven: false,
    hasWorktree: true,
    now: LATER,
    name: '6f1c',
  }
  const verdict = toVerdict(facts)
  return endLines(
    { verdict, state, earlier: [], run: outline, name: '6f1c', wasAsked: false, kept: undefined, ...more },
    layout,
  ).join('\n')
}

describe('endLines', () => {
  it.each<[string, object, string[], Partial<DriveState>?]>([
    [
      'a question',
      { ...asked, pause_reason: 'decision_required', next: answer },
      ['Knots or km/h?', 'drover answer 6f1c "TEXT"', 'drover drive 6f1c'],
    ],
    [
      'a destructive request',
      {
        ...{ ...asked, pause_reason: 'destructive_confirmation_required', pending_destructive_request: request },
        next: {
          variants: [
            makeVariant('confirm-destructive', { ...ids, DIGEST: digest }),
            makeVariant('decline-or-feedback', ids),
            makeVariant('skip-action', ids),
          ],
        },
      },
      [
        'All is lost.',
        'drover answer 6f1c --confirm 3f2a3f2a3f2a3f2a',
        'drover answer 6f1c "TEXT"',
        'drover drive 6f1c',
      ],
    ],
    [
      'something that is missing',
      { ...asked, pause_reason: 'environment_unavailable' },
      ['Something is missing:', 'drover drive 6f1c', 'drover answer 6f1c "TEXT"'],
    ],
    [
      'more actions',
      { ...asked, pause_reason: 'budget_exhausted' },
      ['has used all of its actions', 'drover drive 6f1c --actions 8'],
    ],
    [
      'a choice of the issue',
      {
        ...{ state: 'paused', source_candidate: {} },
        next: { variants: [makeVariant('keep-pinned', choice), makeVariant('adopt', choice)] },
      },
      ['The issue has changed', 'drover continue 6f1c --use-pinned', '--adopt', 'drover drive 6f1c'],
    ],
    ['a stopped run', { state: 'stopped' }, ['waits for you', 'The run is stopped.', 'drover drive 6f1c']],
    ['an interruption', { state: 'active' }, ['not driven (killed 2 h ago)', 'drover drive 6f1c']],
    [
      'a limit',
      { state: 'active' },
      ['paused by limit: no time left', 'drover drive 6f1c --max-time TIME'],
      { paused: { reason: 'max_time', message: 'no time left' } },
    ],
    [
      'a pause before the work',
      { state: 'active' },
      ['waits for you: the setup failed', 'drover drive 6f1c'],
      { paused: { reason: 'setup_failed', message: 'the setup failed' } },
    ],
    ['the end', { state: 'ended' }, ['not delivered', 'drover report 6f1c'], { delivered: { as: 'none' } }],
  ])('says how to continue after %s', (_name, run, parts, driven) => {
    const text = linesFor(run, driven)
    const at = parts.map((part) => text.indexOf(part))
    expect(at).not.toContain(-1)
    expect(at).toEqual(at.toSorted((one, other) => one - other))
  })

  it.each(['decision_required', 'destructive_confirmation_required', 'environment_unavailable'])(
    'puts a bar before each row of the question of an agent (%s)',
    (pause_reason) => {
      const question = `Which unit?\n\nDelivered: branch x\n${'y '.repeat(60)}\n\nNext:\n  curl https://example.org`
      const run = { ...asked, pause_reason, actions: [{ outcome: { pause: { question } } }] }
      const lines = linesFor(run).split('\n')
      const first = lines.indexOf('  | Which unit?')
      const rest = lines.slice(first + 1, lines.indexOf('  |   curl https://example.org') + 1)
      expect([rest.length, rest.filter((line) => !line.startsWith('  |'))]).toEqual([7, []])
      expect(lines.filter((line) => line === 'Next:')).toHaveLength(1)
    },
  )

  it('offers only the pinned issue if the changed one cannot be used', () => {
    const next = { variants: [makeVariant('keep-pinned', choice)] }
    expect(linesFor({ state: 'paused', source_candidate: {}, next })).not.toContain('--adopt')
  })

  it('does not repeat a question that was just asked', () => {
    const text = linesFor({ ...asked, pause_reason: 'decision_required' }, {}, { wasAsked: true })
    expect(text).not.toContain('Knots or km/h?')
  })

  it('names the branch, offers to merge it, and says why a worktree stays', () => {
    const text = linesFor({ state: 'ended', actions: [APPLIED] }, ON_BRANCH, { kept: 'The worktree stays.' })
    for (const part of ['delivered: branch drover/wind-1', 'drover merge 6f1c', 'The worktree stays.']) {
      expect(text).toContain(part)
    }
  })

  it('names the tests that need a look', () => {
    const check = { command: 'npm test', passed: true, duration_ms: 1, output: '' }
    const tests = { runner: 'node', listed: 'all', failed: ['c'], skipped: [], passed: ['a', 'b'] } as const
    const baseline = [{ ...check, could_start: true, tests: { ...tests, failed: ['c'], passed: ['a', 'b'] } }]
    const after = { ...tests, failed: ['b'], skipped: [], passed: ['c'] }
    const checks = [{ ...check, attempt: 1, at: '', tests: after }]
    const options = { ...OPTIONS, checks: [check.command] }
    const attempts = [attemptAt(actionOf('implement'), { checks })]
    const text = linesFor({ state: 'ended', actions: [APPLIED] }, { ...ON_BRANCH, attempts, baseline, options })
    expect(text).toContain('Tests, compared with those before the work:\n  broke: b\n  removed: a\n')
    expect(text).not.toContain('fixed')
  })

  it('names a check that was not run, and does not offer to merge then', () => {
    const text = linesFor(
      { state: 'ended', actions: [APPLIED] },
      { ...ON_BRANCH, options: { ...OPTIONS, checks: ['make'] } },
    )
    expect(text).toContain('not delivered: the check make was not run')
    expect(text).not.toContain('drover merge')
    expect(text).toMatch(
      /Next:\n {2}drover report 6f1c .*\n {2}drover drive 6f1c --also "TEXT"\n.*\n {2}drover discard 6f1c /,
    )
  })
})

const APPLIED = {
  action: { action_id: 'a', kind: 'implement' },
  outcome: { status: 'completed', summary: 'Done.', implementation: { result: 'applied' } },
}
const ON_BRANCH: Partial<DriveState> = {
  place: {
    kind: 'worktree',
    root: '/work',
    branch: 'drover/wind-1',
    base: 'b',
    base_branch: 'main',
    repository: '/srv',
  },
  delivered: { as: 'branch', branch: 'drover/wind-1', commit: 'c0ffee' },
}
