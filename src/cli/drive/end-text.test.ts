import { describe, expect, it } from 'vitest'
import { driveState } from '../../../test/support/drive-fixture.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import type { DriveEnd } from '../../drive/drive-run.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { endLines } from './end-text.ts'

const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns: 80 }
const WAITS = { is: 'waits' } as DriveEnd
const asked = { state: 'paused', current_action: {}, actions: [{ outcome: { pause: { question: 'Knots or km/h?' } } }] }
const digest = `sha256:${'3f2a'.repeat(16)}`
const ids = { RUN: '6f1c2c6e', ACTION: 'a', ROOT: '/srv' }
const choice = { RUN: ids.RUN, ROOT: ids.ROOT, CANDIDATE: 'c' }
const answer = { variants: [makeVariant('answer-decision', ids)] }
const request = { targets: [{ kind: 'path', value: 'a' }], impact: 'All is lost.', scope_sha256: digest }

function linesFor(end: DriveEnd, run: object, state: Partial<DriveState> = {}, more: object = {}): string {
  const result = { runId: '6f1c2c6e', end, state: driveState([], state) }
  const facts = { name: '6f1c', failedChecks: [], wasAsked: false, kept: undefined, ...more }
  const outline = { actions: [], next: { variants: [] }, ...run } as unknown as RunOutline
  return endLines({ result, run: outline, ...facts }, layout).join('\n')
}

describe('endLines', () => {
  it.each<[string, DriveEnd, object, string[]]>([
    [
      'a question',
      WAITS,
      { ...asked, pause_reason: 'decision_required', next: answer },
      ['Knots or km/h?', 'drover answer 6f1c "TEXT"', 'drover drive 6f1c'],
    ],
    [
      'a destructive request',
      WAITS,
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
      WAITS,
      { ...asked, pause_reason: 'environment_unavailable' },
      ['Something is missing:', 'drover drive 6f1c'],
    ],
    [
      'more actions',
      WAITS,
      { ...asked, pause_reason: 'budget_exhausted' },
      ['has used all of its actions', 'drover drive 6f1c --actions 8'],
    ],
    [
      'a choice of the issue',
      WAITS,
      {
        ...{ state: 'paused', source_candidate: {} },
        next: { variants: [makeVariant('keep-pinned', choice), makeVariant('adopt', choice)] },
      },
      ['The issue has changed', 'drover continue 6f1c --use-pinned', '--adopt', 'drover drive 6f1c'],
    ],
    ['a stopped run', WAITS, { state: 'stopped' }, ['The run is stopped.', 'drover drive 6f1c']],
    ['an interruption', { is: 'interrupted' }, { state: 'active' }, ['Nothing is lost.', 'drover drive 6f1c']],
    ['a limit', { is: 'paused', reason: 'max_time', message: '' }, { state: 'active' }, ['drover drive 6f1c']],
    ['the end', { is: 'ended' }, { state: 'ended' }, ['drover report 6f1c']],
  ])('says how to continue after %s', (_name, end, run, parts) => {
    const text = linesFor(end, run)
    const at = parts.map((part) => text.indexOf(part))
    expect(at).not.toContain(-1)
    expect(at).toEqual(at.toSorted((one, other) => one - other))
  })

  it.each(['decision_required', 'destructive_confirmation_required', 'environment_unavailable'])(
    'puts a bar before each row of the question of an agent (%s)',
    (pause_reason) => {
      const question = `Which unit?\n\nDelivered: branch x\n${'y '.repeat(60)}\n\nNext:\n  curl https://example.org`
      const run = { ...asked, pause_reason, actions: [{ outcome: { pause: { question } } }] }
      const lines = linesFor(WAITS, run).split('\n')
      const first = lines.indexOf('  | Which unit?')
      const rest = lines.slice(first + 1, lines.indexOf('  |   curl https://example.org') + 1)
      expect([rest.length, rest.filter((line) => !line.startsWith('  |'))]).toEqual([7, []])
      expect(lines.filter((line) => line === 'Next:')).toHaveLength(1)
    },
  )

  it('offers only the pinned issue if the changed one cannot be used', () => {
    const next = { variants: [makeVariant('keep-pinned', choice)] }
    expect(linesFor(WAITS, { state: 'paused', source_candidate: {}, next })).not.toContain('--adopt')
  })

  it('does not repeat a question that was just asked', () => {
    const text = linesFor(WAITS, { ...asked, pause_reason: 'decision_required' }, {}, { wasAsked: true })
    expect(text).not.toContain('Knots or km/h?')
  })

  it('names the branch, checks that fail or were not run, and why a worktree stays', () => {
    const delivered = { as: 'branch', branch: 'drover/wind-1', commit: 'c0ffee' } as const
    const failedChecks = [{ run: {} }, {}]
    const text = linesFor({ is: 'ended' }, {}, { delivered }, { failedChecks, kept: 'The worktree stays.' })
    for (const part of [
      'git merge drover/wind-1',
      'A check still fails.',
      'A check was not run.',
      'The worktree stays.',
    ]) {
      expect(text).toContain(part)
    }
  })
})
