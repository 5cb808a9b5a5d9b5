import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../agents/adapter/agent.ts'
import { agentText, EditorUpdates, pastTool, toEditorUsage, userText } from './session-updates.ts'

const message = (text: string, isPartial = false): AgentEvent => ({
  type: 'message',
  content: { text, role: 'assistant', ...(isPartial && { is_partial: true }) },
})
const use = (tool_name: string, input?: unknown, tool_id?: string): AgentEvent => ({
  type: 'tool_use',
  content: { tool_name, ...(input !== undefined && { input }), ...(tool_id !== undefined && { tool_id }) },
})

describe('a text', () => {
  it('is a chunk of the user, of the agent, or of its thinking', () => {
    const content = { type: 'text', text: 'a' }
    expect(userText('a')).toEqual({ sessionUpdate: 'user_message_chunk', content })
    expect(agentText('a')).toEqual({ sessionUpdate: 'agent_message_chunk', content })
    expect(new EditorUpdates('').of({ type: 'thinking', content: { text: 'a' } })).toEqual({
      sessionUpdate: 'agent_thought_chunk',
      content,
    })
  })

  it('begins a paragraph after a whole message, but not after a piece or a tool call', () => {
    const updates = new EditorUpdates('')
    const events = [
      message('one'),
      message('two'),
      message('th', true),
      message('ree', true),
      message('four'),
      use('Read'),
      message('five'),
    ]
    const texts = events.map((event) => (updates.of(event)?.['content'] as { text: string } | undefined)?.text)
    expect(texts).toEqual(['one', '\n\ntwo', 'th', 'ree', 'four', undefined, 'five'])
  })

  it('is not made of other events', () => {
    const updates = new EditorUpdates('')
    expect(updates.of({ type: 'init', content: { working_dir: '/' } })).toBeUndefined()
  })
})

describe('a tool call', () => {
  it.each([
    ['Bash', 'execute'],
    ['shell', 'execute'],
    ['exec_command', 'execute'],
    ['Edit', 'edit'],
    ['apply_patch', 'edit'],
    ['file_change', 'edit'],
    ['WebFetch', 'fetch'],
    ['Grep', 'search'],
    ['ls', 'search'],
    ['Read', 'read'],
    ['TodoRead', 'read'],
    ['update_plan', 'think'],
    ['tools', 'other'],
  ])('of %s is of the kind %s', (name, kind) => {
    expect(new EditorUpdates('').of(use(name))).toMatchObject({ kind })
    expect(pastTool('1', { name, input: '' })).toMatchObject({ kind, title: name })
  })

  it('has its input in its title and in a place, if that is an absolute path', () => {
    const updates = new EditorUpdates('1-')
    expect(updates.of(use('Read', { file_path: '/a.ts' }, 't1'))).toEqual({
      sessionUpdate: 'tool_call',
      toolCallId: '1-t1',
      title: 'Read: /a.ts',
      kind: 'read',
      status: 'in_progress',
      rawInput: { file_path: '/a.ts' },
      locations: [{ path: '/a.ts' }],
    })
    expect(updates.of(use('Read', { file_path: 5, path: '/b.ts' }))).toMatchObject({ locations: [{ path: '/b.ts' }] })
    for (const input of [{ path: 'a.ts' }, { command: '/bin/ls' }, null, '/a.ts', undefined]) {
      expect(updates.of(use('Read', input))).not.toHaveProperty('locations')
    }
    expect(updates.of(use('Read'))).not.toHaveProperty('rawInput')
    expect(pastTool('1', { name: 'Read', input: '/a.ts' })).toMatchObject({
      toolCallId: '1',
      title: 'Read: /a.ts',
      status: 'completed',
    })
  })

  it('has a title of one line and at most 200 characters', () => {
    const titleOf = (command: string) => new EditorUpdates('').of(use('Bash', { command }))?.['title']
    expect(titleOf('a\n\t b')).toBe('Bash: a b')
    expect(titleOf('x'.repeat(194))).toBe(`Bash: ${'x'.repeat(194)}`)
    expect(titleOf('x'.repeat(195))).toBe(`Bash: ${'x'.repeat(193)}…`)
  })

  it('ends under the id that it began with, also if the agent gives none', () => {
    const updates = new EditorUpdates('2-')
    const end = (tool_name: string, more: object = {}) =>
      updates.of({ type: 'tool_result', content: { tool_name, ...more } } as AgentEvent)
    const ids = [use('Read'), use('Bash'), use('Read')].map((event) => updates.of(event)?.['toolCallId'])
    expect(ids).toEqual(['2-tool-1', '2-tool-2', '2-tool-3'])
    expect(end('Read', { output: 'text' })).toEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: '2-tool-3',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: 'text' } }],
    })
    expect(end('Bash', { is_error: true, error_message: 'exit code 1' })).toMatchObject({
      toolCallId: '2-tool-2',
      status: 'failed',
      content: [{ content: { text: 'exit code 1' } }],
    })
    expect(end('Grep', { output: '' })).toEqual({
      sessionUpdate: 'tool_call_update',
      toolCallId: '2-tool-4',
      status: 'completed',
    })
    expect(end('Grep', { tool_id: 't9' })).toMatchObject({ toolCallId: '2-t9' })
  })
})

describe('a question', () => {
  const choices = ['allow', 'deny'] as const

  it('shows the command or the change that the agent asks about, under the id of its call', () => {
    const updates = new EditorUpdates('1-')
    const asked = { approval_id: 'a', tool_name: 'Bash', command: 'make', choices }
    expect(updates.ofApproval({ ...asked, tool_id: 't1', input: { command: 'make' }, diff: '+a' })).toEqual({
      toolCallId: '1-t1',
      title: 'Bash: make',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'make' },
      content: [{ type: 'content', content: { type: 'text', text: 'make\n+a' } }],
    })
    expect(updates.ofApproval(asked)).toMatchObject({ toolCallId: '1-tool-1', title: 'Bash: "make"' })
    const edit = updates.ofApproval({ approval_id: 'a', tool_name: 'Edit', diff: '+a', choices })
    expect(edit).toMatchObject({ toolCallId: '1-tool-2', title: 'Edit', content: [{ content: { text: '+a' } }] })
    expect(edit).not.toHaveProperty('rawInput')
    const bare = updates.ofApproval({ approval_id: 'a', tool_name: 'Edit', choices })
    expect(bare).toHaveProperty('content', [])
    const texts = ['make', 'Its reason: to build'].map((text) => ({ type: 'content', content: { type: 'text', text } }))
    expect(updates.ofApproval({ ...asked, reason: 'to build' })).toMatchObject({ content: texts })
  })
})

it('counts the tokens as other agents do', () => {
  expect(toEditorUsage({ input_tokens: 5, output_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 })).toEqual({
    totalTokens: 9,
    inputTokens: 5,
    outputTokens: 4,
    cachedReadTokens: 3,
    thoughtTokens: 2,
  })
})
