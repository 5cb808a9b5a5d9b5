import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { describeAgentEvent, TokenCounter } from './describe-activity.ts'

const DENIED = {
  approval_id: 'a',
  tool_name: 'Bash',
  input_sha256: '',
  decision: 'deny',
  by: { via: 'none' },
} as const

describe('describeAgentEvent', () => {
  it.each<[string, AgentEvent, string | undefined]>([
    ['the start', { type: 'init', content: {} }, 'waiting for the answer'],
    ['a turn', { type: 'progress', content: { stage: 'turn_started' } }, 'waiting for the answer'],
    ['a stage', { type: 'progress', content: { stage: 'api_retry' } }, 'api retry'],
    ['a stage in words', { type: 'progress', content: { stage: 'todo_list', message: '1 of 2 done' } }, '1 of 2 done'],
    ['a piece', { type: 'message', content: { text: 'a', role: 'assistant', is_partial: true } }, 'answering'],
    ['a whole message', { type: 'message', content: { text: 'I look', role: 'assistant' } }, 'I look'],
    ['a thought', { type: 'thinking', content: { text: 'hm' } }, 'thinking'],
    ['a command', { type: 'tool_use', content: { tool_name: 'Bash', input: { command: 'ls' } } }, 'Bash ls'],
    ['a tool that failed', { type: 'tool_result', content: { tool_name: 'Bash', is_error: true } }, 'Bash failed'],
    [
      'a question',
      { type: 'approval_request', content: { approval_id: 'a', tool_name: 'Bash', choices: ['allow', 'deny'] } },
      'waiting for a decision about Bash',
    ],
    ['an answer to it', { type: 'approval_decision', content: DENIED }, 'Bash was denied'],
    ['another answer', { type: 'approval_decision', content: { ...DENIED, decision: 'allow' } }, 'Bash was allowed'],
    [
      'calls of the client',
      { type: 'tool_request', content: { calls: [{ call_id: 'c', tool_name: 'add', arguments: '{}' }] } },
      'waiting for add of the client',
    ],
    ['an error', { type: 'error', content: { message: 'no' } }, undefined],
  ])('describes %s', (_name, event, words) => {
    expect(describeAgentEvent(event)).toBe(words)
  })
})

it.each([
  ['claude', 100],
  ['codex', 1000],
])('the tokens of a running %s include those of its cache', (backend, input) => {
  const counter = new TokenCounter(backend)
  const content = { input_tokens: input, output_tokens: 30, cached_tokens: 900, reasoning_tokens: 0 }
  counter.note({ type: 'token_usage', content })
  expect(counter.format()).toBe('1030 tok')
})
