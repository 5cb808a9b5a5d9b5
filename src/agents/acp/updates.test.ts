import { describe, expect, it } from 'vitest'
import type { AcpProfile } from '../adapter/acp-profile.ts'
import { readToolDiff } from './tool-calls.ts'
import { TurnUpdates } from './updates.ts'

const PROFILE: AcpProfile = { modes: {}, asks: 'always', usage: 'none' }
const call = (sessionUpdate: string, fields: object) => ({ sessionUpdate, toolCallId: 'c', kind: 'execute', ...fields })
const BEGUN = call('tool_call', { status: 'in_progress', title: 'sleep 300' })
const DONE = call('tool_call_update', { status: 'completed', title: 'sleep 300', rawInput: { command: 'sleep 300' } })

describe('a tool call', () => {
  it.each([
    ['is reported once its input is known', {}, [[], ['tool_use', 'tool_result']]],
    [
      'is reported when it begins, where there is never an input',
      { hasNoInput: true },
      [['tool_use'], ['tool_result']],
    ],
  ] as const)('%s', (_, over, expected) => {
    const updates = new TurnUpdates({ ...PROFILE, ...over })
    const events = [BEGUN, DONE].map((update) => updates.read(update))
    expect(events.map((each) => each.map(({ type }) => type))).toEqual(expected)
    const use = events.flat().find(({ type }) => type === 'tool_use')
    expect(use).toMatchObject({ content: { input: { command: 'sleep 300' } } })
  })
})

describe('the diff of a call', () => {
  const change = (oldText: string | null, newText: string) => ({ type: 'diff', path: '/a', oldText, newText })
  it.each<[string, object, string | undefined]>([
    ['has only the lines that differ', { content: [change('a\nb\nc\n', 'a\nx\nc\n')] }, '--- /a\n-b\n+x'],
    ['has all lines of a new file', { content: [change(null, 'x\ny')] }, '--- /a\n+x\n+y'],
    ['has lines that were repeated', { content: [change('a\na', 'a\na\na')] }, '--- /a\n+a'],
    ['has every change', { content: [change('a', 'b'), change('c', '')] }, '--- /a\n-a\n+b\n--- /a\n-c\n+'],
    ['is not needed where the input says it', { rawInput: { text: 'x' }, content: [change('a', 'b')] }, undefined],
    ['is missing for other tools', { content: [] }, undefined],
  ])('%s', (_, fields, expected) => {
    expect(readToolDiff({ toolCallId: 'c', ...fields })).toBe(expected)
  })
})
