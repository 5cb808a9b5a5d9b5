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
  it('has three parts, also when there is nothing to tell', () => {
    expect(composeContext(empty, ROOM)).toBe('Decisions:\n(none)\nRecent outcome:\n(none)\nEarlier outcomes:\n(none)\n')
  })

  it('tells in order of time what was decided, and what came of the actions', () => {
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

  it('leaves out what does not hold', () => {
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

  it('has no room for its headings', () => {
    const bytes = JSON.stringify(composeContext(empty, ROOM)).length - 2
    expect(composeContext(empty, bytes)).toBeDefined()
    expect(composeContext(empty, bytes - 1)).toBeUndefined()
  })

  it('is filled to its limit, and not beyond', () => {
    const frame = HEADINGS.length + '- action a decision:\n  \n'.length
    const fits = composeContext(run({ answers: [answer('a', 'x'.repeat(LIMITS.contextBytes - frame))] }), ROOM) ?? ''
    expect(fits).toHaveLength(LIMITS.contextBytes)
    expect(fits).not.toContain('truncated')
    const cut = composeContext(run({ answers: [answer('a', 'x'.repeat(LIMITS.contextBytes - frame + 1))] }), ROOM) ?? ''
    expect(cut).toHaveLength(LIMITS.contextBytes)
    expect(cut).toMatch(/x\.\.\.\[truncated original_bytes=\d+ sha256=[0-9a-f]{64}\]\nRecent outcome:/)
  })

  it('counts the bytes that it has as JSON', () => {
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
    const shown = (room: number) => {
      const text = composeContext(given, room) ?? ''
      return ['y', 'x', 'r', 'q', 'p'].filter((letter) => text.includes(letter.repeat(50))).join('')
    }
    const [all = 0] = [JSON.stringify(composeContext(given, ROOM)).length]
    const seen = Array.from({ length: all }, (_, room) => shown(room))
    expect([...new Set(seen)]).toEqual(['', 'y', 'yx', 'yxr', 'yxrq', 'yxrqp'])
  })

  it('passes over what is too large for what is smaller, and shows its beginning', () => {
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

  it('says how many it has left out where not even a mark fits', () => {
    const given = run({ answers: [answer('a1', 'x'.repeat(200)), answer('a2', 'y'.repeat(300))] })
    const room = JSON.stringify(`${HEADINGS}[omitted decisions: 2]\n`).length
    expect(composeContext(given, room)).toContain('Decisions:\n[omitted decisions: 2]\n')
    const recent = run({ actions: [outcome('o1', 'x'.repeat(300))] })
    expect(composeContext(recent, room + '(none)'.length)).toContain('Recent outcome:\n[omitted recent outcomes: 1]\n')
  })

  it('cuts whole characters', () => {
    const given = run({ answers: [answer('a', '😀'.repeat(LIMITS.contextBytes / 4))] })
    const text = composeContext(given, ROOM) ?? ''
    expect(text.isWellFormed()).toBe(true)
    expect(Buffer.byteLength(text)).toBeGreaterThan(LIMITS.contextBytes - 4)
  })
})
