import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../agents/adapter/agent.ts'
import { toRevealed } from '../../kit/printable-text.ts'
import type { Key } from '../key-reader.ts'
import { formatNotice, formatQuestion, formatRequest, toApprovalAnswer } from './ask-approval.ts'

const REQUEST: ApprovalRequest = { approval_id: 'a1', tool_name: 'Bash', choices: ['allow', 'allow_session', 'deny'] }
const asked = (fields: Partial<ApprovalRequest>) => ({ backend: 'claude', request: { ...REQUEST, ...fields } })
/** As on a terminal where every character that is not ASCII takes two columns. */
const mostColumns = (text: string) => [...text].reduce((sum, each) => sum + (each < '\u007f' ? 1 : 2), 0)

describe('the question', () => {
  it.each<[string, Partial<ApprovalRequest>, string[]]>([
    ['a command', { command: 'make\nrm x\n' }, ['  | make', '  | rm x']],
    ['a diff', { diff: '-a\n+b' }, ['  | -a', '  | +b']],
    ['another input', { input: { url: 'x' } }, ['  | {', '  |   "url": "x"', '  | }']],
    ['no input', {}, ['  | ']],
    [
      'what a command comes with',
      { command: 'ls\n', input: { command: 'ls\n', host: 'prod' } },
      ['  | ls', '  | {', '  |   "host": "prod"', '  | }'],
    ],
    [
      'what a diff comes with',
      { diff: '--- /a\n+b', input: { file_path: '/a', content: 'b', to: 'x' } },
      ['  | --- /a', '  | +b', '  | {', '  |   "to": "x"', '  | }'],
    ],
    [
      'an edit as a diff only',
      { diff: '--- /a\n+b', input: { file_path: '/a', content: 'b' } },
      ['  | --- /a', '  | +b'],
    ],
    [
      'a text that the diff does not have',
      { diff: '--- /a\n-o\n+b', input: { old_string: 'o', new_string: 'b', content: 'c' } },
      ['  | --- /a', '  | -o', '  | +b', '  | {', '  |   "content": "c"', '  | }'],
    ],
    [
      'a command and a diff',
      { command: 'ls', diff: '+b', input: { command: 'ls', content: 'b' } },
      ['  | ls', '  | +b'],
    ],
    ['a reason', { command: 'ls', reason: 'it\nwrites' }, ['  | ls', 'Its reason: it writes']],
    ['what a terminal would hide', { command: 'a\r\u001b[2Kb\tc\u202e' }, ['  | a\\u000d\\u001b[2Kb  c\\u202e']],
    ['what it would hide of a reason', { reason: 'a\u001b[2Kb' }, ['  | ', 'Its reason: a\\u001b[2Kb']],
  ])('shows %s', (_name, fields, lines) => {
    expect(formatRequest(asked(fields), 80)).toEqual(['claude wants to use Bash:', ...lines])
  })

  it('shows all of a long text, tool and reason', () => {
    const [diff, long] = [Array.from({ length: 5000 }, (_, at) => `+${at}`), 'r'.repeat(5000)]
    const lines = formatRequest(asked({ diff: diff.join('\n'), tool_name: `t${long}`, reason: `w${long}` }), 80)
    expect(lines.filter((line) => /^ {2}\| \+/.test(line))).toEqual(diff.map((line) => `  | ${line}`))
    const text = lines.map((line) => line.replace(/^ {2}\| /, '')).join('')
    expect([text.includes(`t${long}:`), text.endsWith(`w${long}`)]).toEqual([true, true])
  })

  it.each<[string, string]>([
    ['spaces', ' '],
    ['letters', 'x'],
    ['wide letters', '漢'],
    ['fillers that should have no width', '\u3164'],
    ['marks', '\u0301'],
    ['emoji that a terminal may not join', '👨‍👩‍👧'],
  ])('begins each row of a terminal with a bar, after %s', (_name, padding) => {
    const long = `${padding.repeat(150)}Allow it? y = no`
    const [first, ...rows] = formatRequest(asked({ command: long }), 80)
    expect([first, rows.map((row) => row.slice(4)).join('')]).toEqual(['claude wants to use Bash:', toRevealed(long)])
    for (const row of rows) expect(row).toMatch(/^ {2}\| /)
    for (const row of rows) expect(mostColumns(row)).toBeLessThanOrEqual(80)
  })

  it('begins each further row of the tool and the reason with a bar', () => {
    const rows = formatRequest(asked({ tool_name: 't'.repeat(70), command: 'ls', reason: 'r'.repeat(70) }), 80)
    expect(rows).toEqual([
      `claude wants to use ${'t'.repeat(56)}`,
      `  | ${'t'.repeat(14)}:`,
      '  | ls',
      `Its reason: ${'r'.repeat(64)}`,
      `  | ${'r'.repeat(6)}`,
    ])
  })

  it('ends on a terminal that is narrower than the bar', () => {
    expect(formatRequest(asked({ command: 'ls' }), 3).slice(-2)).toEqual(['  | l', '  | s'])
  })

  it('offers the session only where the agent does', () => {
    expect(formatQuestion(REQUEST)).toBe('Allow it? y = yes, a = yes, for the rest of the session, n = no ')
    expect(formatQuestion({ ...REQUEST, choices: ['allow', 'deny'] })).toBe('Allow it? y = yes, n = no ')
  })
})

describe('a key', () => {
  const key = (name: string, fields: Partial<Key> = {}): Key => ({ name, isCtrl: false, text: name, ...fields })

  it.each<[string, Key | undefined, string | undefined]>([
    ['y', key('y'), 'allow'],
    ['Y', key('y', { text: 'Y' }), 'allow'],
    ['a', key('a'), 'allow_session'],
    ['n', key('n'), 'deny'],
    ['Esc', key('escape', { text: '' }), 'deny'],
    ['Ctrl-D', key('d', { isCtrl: true, text: '' }), 'deny'],
    ['Ctrl-C', key('c', { isCtrl: true, text: '' }), 'cancel'],
    ['Ctrl-Y', key('y', { isCtrl: true, text: '' }), undefined],
    ['Enter', key('return', { text: '' }), undefined],
    ['x', key('x'), undefined],
    ['the end of the input', undefined, 'deny'],
  ])('%s decides', (_name, pressed, answer) => {
    expect(toApprovalAnswer(pressed, REQUEST)).toBe(answer)
  })

  it('does not allow the session where that is no choice', () => {
    expect(toApprovalAnswer(key('a'), { ...REQUEST, choices: ['allow', 'deny'] })).toBeUndefined()
  })
})

it('a notice has all that is asked for, with bars, and the command that decides', () => {
  const input = { command: 'ls', target: 'prod' }
  const facts = { ...asked({ command: 'ls', input }), executionId: 'e1', socket: '/s', timeoutSecs: 300 }
  expect(formatNotice(facts, 80)).toBe(
    [
      'drover: an agent waits for a decision:',
      'claude wants to use Bash:',
      ...['  | ls', '  | {', '  |   "target": "prod"', '  | }'],
      'drover: without one it is denied after 300 s. To allow it (or "deny" it), run:',
      `  curl --unix-socket '/s' -H 'content-type: application/json' -d '{"decision":"allow"}' http://localhost/api/v1/executions/e1/approvals/a1`,
      '',
    ].join('\n'),
  )
})
