import { describe, expect, it } from 'vitest'
import { driveRun, outcomeOf } from '../../../test/support/drive-run.ts'
import { pinned } from '../../../test/support/pinned-sources.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AnswerRecord } from '../../contract/run-record.shape.ts'
import { digest } from '../../kit/digest.ts'
import type { Run } from '../state/run.ts'
import { composeContext } from './compose-context.ts'

const empty = driveRun().run
const { current_action: orient } = empty
if (orient === undefined) throw new Error('a run starts with an action')
const ROOM = LIMITS.actionBytes

const answer = (action_id: string, text: string, change: Partial<AnswerRecord> = {}): AnswerRecord => ({
  action_id,
  text,
  confirm_destructive: false,
  payload_sha256: digest(text),
  active: true,
  at: '2026-01-31T10:00:00Z',
  ...change,
})

const outcome = (action_id: string, summary: string, known_issues: readonly string[] = []) => ({
  action: { ...orient, action_id },
  outcome: outcomeOf(empty, { summary, known_issues }),
  outcome_payload_sha256: digest(summary),
})

const run = (change: Partial<Run>): Run => ({ ...empty, ...change })
const HEADINGS = 'Decisions:\nRecent outcome:\n(none)\nEarlier outcomes:\n(none)\n'

describe('the context of an action', () => {
  it('has three parts even if all are empty', () => {
    expect(composeContext(empty, ROOM)).toBe('Decisions:\n(none)\nRecent outcome:\n(none)\nEarlier outcomes:\n(none)\n')
  })

  it('lists decisions and outcomes in chronological order', () => {
    const text = composeContext(
      run({
        answers: [answer('a1', 'First.\r\nReally.'), answer('a2', 'Second.')],
        actions: [
          outcome('o1', 'One.'),
          outcome('o2', 'Two.\rMore.', ['Wrong.', 'Also\nwrong.']),
          outcome('o3', 'Three.'),
        ],
      }),
      ROOM,
    )
    expect(text).toBe(
      [
        'Decisions:',
        '- action a1 decision:',
        '  First.',
        '  Really.',
        '- action a2 decision:',
        '  Second.',
        'Recent outcome:',
        '- orient action o3: Three.',
        'Earlier outcomes:',
        '- orient action o1: One.',
        '- orient action o2: Two.',
        '  More.',
        '  Known issues:',
        '  - Wrong.',
        '  - Also',
        '    wrong.',
        '',
      ].join('\n'),
    )
  })

  it('omits superseded answers and voided outcomes', () => {
    const revision = pinned.requirements_revision
    const text = composeContext(
      run({
        pinned_source: pinned,
        answers: [
          answer('a1', 'Replaced.', { active: false, requirements_revision: revision }),
          answer('a2', 'Of old requirements.', { requirements_revision: digest('old') }),
          answer('a3', 'Of none.'),
          answer('a4', 'Holds.', { requirements_revision: revision }),
        ],
        actions: [{ ...outcome('o1', 'Withdrawn.'), voided: true }, { action: orient }],
      }),
      ROOM,
    )
    expect(text).toBe(
      'Decisions:\n- action a4 decision:\n  Holds.\nRecent outcome:\n(none)\nEarlier outcomes:\n(none)\n',
    )
  })

  it('is undefined if its headings do not fit', () => {
    const bytes = JSON.stringify(composeContext(empty, ROOM)).length - 2
    expect(composeContext(empty, bytes)).toBeDefined()
    expect(composeContext(empty, bytes - 1)).toBeUndefined()
  })

  it('is filled up to its limit', () => {
    const frame = HEADINGS.length + '- action a decision:\n  \n'.length
    const fits = composeContext(run({ answers: [answer('a', 'x'.repeat(LIMITS.contextBytes - frame))] }), ROOM) ?? ''
    expect(fits).toHaveLength(LIMITS.contextBytes)
    expect(fits).not.toContain('truncated')
    const cut = composeContext(run({ answers: [answer('a', 'x'.repeat(LIMITS.contextBytes - frame + 1))] }), ROOM) ?? ''
    expect(cut).toHaveLength(LIMITS.contextBytes)
    expect(cut).toMatch(/x\.\.\.\[truncated original_bytes=\d+ sha256=[0-9a-f]{64}\]\nRecent outcome:/)
  })

  it('counts its bytes as JSON', () => {
    const frame = JSON.stringify(`${HEADINGS}- action a decision:\n  \n`).length - 2
    const quotes = '"'.repeat(100)
    const given = run({ answers: [answer('a', quotes)] })
    expect(composeContext(given, frame + 200)).toContain(quotes)
    expect(composeContext(given, frame + 199)).not.toContain(quotes)
  })

  it('prefers new decisions, then the last outcome, then new outcomes', () => {
    const given = run({
      answers: [answer('a1', 'x'.repeat(50)), answer('a2', 'y'.repeat(50))],
      actions: [outcome('o1', 'p'.repeat(100)), outcome('o2', 'q'.repeat(100)), outcome('o3', 'r'.repeat(100))],
    })
    const shown = (space: number) => {
      const text = composeContext(given, space) ?? ''
      return ['y', 'x', 'r', 'q', 'p'].filter((letter) => text.includes(letter.repeat(50))).join('')
    }
    const [all = 0] = [JSON.stringify(composeContext(given, ROOM)).length]
    const seen = Array.from({ length: all }, (_, space) => shown(space))
    expect([...new Set(seen)]).toEqual(['', 'y', 'yx', 'yxr', 'yxrq', 'yxrqp'])
  })

  it('skips an item that is too large, and then includes its prefix', () => {
    const given = run({
      answers: [answer('a1', 'small'), answer('a2', 'L'.repeat(LIMITS.contextBytes))],
      actions: [outcome('o1', 'M'.repeat(LIMITS.contextBytes)), outcome('o2', 'tiny')],
    })
    const text = composeContext(given, ROOM) ?? ''
    expect(text).toContain('- action a1 decision:\n  small\n- action a2 decision:\n  LLL')
    expect(text).toContain('Recent outcome:\n- orient action o2: tiny\n')
    expect(text).toContain('Earlier outcomes:\n[omitted earlier outcomes: 1]\n')
    expect(Buffer.byteLength(text)).toBe(LIMITS.contextBytes)
  })

  it('counts omitted items if not even a mark fits', () => {
    const given = run({ answers: [answer('a1', 'x'.repeat(200)), answer('a2', 'y'.repeat(300))] })
    const space = JSON.stringify(`${HEADINGS}[omitted decisions: 2]\n`).length
    expect(composeContext(given, space)).toContain('Decisions:\n[omitted decisions: 2]\n')
    const recent = run({ actions: [outcome('o1', 'x'.repeat(300))] })
    expect(composeContext(recent, space + '(none)'.length)).toContain('Recent outcome:\n[omitted recent outcomes: 1]\n')
  })

  it('cuts at a character boundary', () => {
    const given = run({ answers: [answer('a', '😀'.repeat(LIMITS.contextBytes / 4))] })
    const text = composeContext(given, ROOM) ?? ''
    expect(text.isWellFormed()).toBe(true)
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.contextBytes - 4)
  })
})
