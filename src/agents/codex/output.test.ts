import { describe, expect, it } from 'vitest'
import { readRecording, replay } from '../../../test/support/replay-recording.ts'
import type { Usage } from '../adapter/agent.ts'
import { codex } from './agent.ts'
import { CodexOutput } from './output.ts'

const DONE = { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } }

function read(lines: readonly unknown[], { code = 0, priorUsage }: { code?: number; priorUsage?: Usage } = {}) {
  const texts = lines.map((line) => JSON.stringify(line))
  const end = { code, signal: null, stderrTail: '' }
  return replay(codex, { lines: texts, end }, priorUsage === undefined ? {} : { priorUsage })
}

const completed = (item: object) => ({ type: 'item.completed', item: { id: 'item_7', ...item } })
const ANSWER = completed({ type: 'agent_message', text: 'Done.' })
const usageOf = (input: number, output: number, cached: number, reasoning: number): Usage => ({
  input_tokens: input,
  output_tokens: output,
  cached_tokens: cached,
  reasoning_tokens: reasoning,
})

describe('the events of codex', () => {
  it('are those of a whole run with a tool', () => {
    expect(replay(codex, readRecording('codex', 'tool.stream-json')).events).toEqual([
      { type: 'init', content: { backend_session_id: '01a1dca7-3f4d-71e1-b709-aa83cd1a5aa7' } },
      { type: 'progress', content: { stage: 'turn_started' } },
      { type: 'message', content: { text: 'I will run a command.', role: 'assistant' } },
      {
        type: 'tool_use',
        content: {
          tool_id: 'item_1',
          tool_name: 'command_execution',
          input: { command: "/bin/bash -lc 'echo tool-ran-ok; pwd'" },
        },
      },
      {
        type: 'tool_result',
        content: { tool_id: 'item_1', tool_name: 'command_execution', output: 'tool-ran-ok\n/workspace\n' },
      },
      { type: 'message', content: { text: 'The command printed its output.', role: 'assistant' } },
      { type: 'token_usage', content: usageOf(2000, 100, 1200, 14) },
    ])
  })

  it('report a retry as progress, not as an error', () => {
    const { events } = replay(codex, readRecording('codex', 'e429.stream-json'))
    expect(events[2]).toEqual({
      type: 'progress',
      content: {
        stage: 'retry',
        message:
          'Reconnecting... 1/1 (exceeded retry limit, last status: 429 Too Many Requests, request id: req_fake000269)',
      },
    })
  })

  it.each([
    [
      'a command that fails',
      { type: 'command_execution', command: 'false', aggregated_output: 'no', exit_code: 3, status: 'failed' },
      { tool_name: 'command_execution', input: { command: 'false' } },
      { tool_name: 'command_execution', output: 'no', is_error: true, error_message: 'exit code 3' },
    ],
    [
      'a command that is declined',
      { type: 'command_execution', command: 'rm', aggregated_output: '', exit_code: null, status: 'declined' },
      { tool_name: 'command_execution', input: { command: 'rm' } },
      { tool_name: 'command_execution', output: '', is_error: true, error_message: 'declined' },
    ],
    [
      'a change of files',
      { type: 'file_change', changes: [{ path: 'a.txt', kind: 'add' }], status: 'completed' },
      { tool_name: 'file_change', input: { changes: [{ path: 'a.txt', kind: 'add' }] } },
      { tool_name: 'file_change' },
    ],
    [
      'an MCP tool',
      {
        type: 'mcp_tool_call',
        server: 'docs',
        tool: 'find',
        arguments: { q: 'x' },
        result: { content: [{ type: 'text', text: 'found' }] },
        status: 'completed',
      },
      { tool_name: 'docs.find', input: { q: 'x' } },
      { tool_name: 'docs.find', output: 'found' },
    ],
    [
      'an MCP tool that fails',
      { type: 'mcp_tool_call', server: 'docs', tool: 'find', arguments: {}, error: { message: 'gone' } },
      { tool_name: 'docs.find', input: {} },
      { tool_name: 'docs.find', is_error: true, error_message: 'gone' },
    ],
    [
      'a search of the web',
      { type: 'web_search', query: 'cats' },
      { tool_name: 'web_search', input: { query: 'cats' } },
      { tool_name: 'web_search' },
    ],
  ])('announce %s that is reported only at its end', (_, item, use, result) => {
    expect(read([completed(item), DONE]).events.slice(0, 2)).toEqual([
      { type: 'tool_use', content: { tool_id: 'item_7', ...use } },
      { type: 'tool_result', content: { tool_id: 'item_7', ...result } },
    ])
  })

  it.each([
    [
      'a warning',
      { type: 'error', message: 'Model metadata not found.' },
      { stage: 'warning', message: 'Model metadata not found.' },
    ],
    [
      'a list of things to do',
      { type: 'todo_list', items: [{ text: 'a', completed: true }, { text: 'b', completed: false }, { text: 'c' }] },
      { stage: 'todo_list', percent: 33, message: '1 of 3 done' },
    ],
  ])('show %s as progress', (_, item, content) => {
    expect(read([completed(item), DONE]).events[0]).toEqual({ type: 'progress', content })
  })

  it('leave out unknown items', () => {
    expect(read([completed({ type: 'hologram' }), completed({}), DONE]).events).toHaveLength(1)
  })

  it('contain a message only when it is complete', () => {
    const item = { id: 'i', type: 'agent_message', text: 'Hel' }
    expect(read([{ type: 'item.updated', item }, DONE]).events).toHaveLength(1)
  })
})

it('names the model, if the line that begins a turn does', () => {
  const { events, result } = read([{ type: 'thread.started', thread_id: 't', model: 'gpt-5.5' }, ANSWER, DONE])
  expect(events[0]).toEqual({ type: 'init', content: { model: 'gpt-5.5', backend_session_id: 't' } })
  expect(result.model).toBe('gpt-5.5')
})

describe('the usage of codex', () => {
  const prior = usageOf(1000, 50, 600, 7)

  it('is that of this turn when the session is resumed', () => {
    const { events, result } = replay(codex, readRecording('codex', 'resume-2.stream-json'), { priorUsage: prior })
    expect(events.at(-1)).toEqual({ type: 'token_usage', content: usageOf(1000, 50, 600, 7) })
    expect(result.usage).toEqual(usageOf(1000, 50, 600, 7))
    expect(result.threadUsage).toEqual(usageOf(2000, 100, 1200, 14))
  })

  it('is taken as it is when it has shrunk', () => {
    const { result } = read([DONE], { priorUsage: prior })
    expect(result.usage).toEqual(usageOf(10, 2, 0, 0))
  })
})

describe('the result of codex', () => {
  it('is what the turn ended with, despite earlier errors', () => {
    const { result } = read([{ type: 'error', message: 'something' }, ANSWER, DONE], { code: 1 })
    expect(result.error).toBeUndefined()
  })

  it.each([
    ['its own message', [{ type: 'turn.failed', error: { message: 'no luck' } }], 'no luck'],
    ['the error before it', [{ type: 'error', message: 'no luck' }, { type: 'turn.failed' }], 'no luck'],
    ['nothing', [{ type: 'turn.failed' }], 'codex reports that the turn failed'],
  ])('is the failure of a turn with %s', (_, lines, message) => {
    expect(read(lines).result.error).toMatchObject({ code: 'agent_failed', message })
  })

  it('is a failure without any answer', () => {
    const message = 'codex ended the turn without an answer; its model service may have failed'
    expect(read([DONE]).result.error).toEqual({ code: 'agent_ended_early', message })
  })

  it('is the last error when no turn ends', () => {
    const { result } = read([{ type: 'error', message: 'Missing environment variable: `K`.' }], { code: 1 })
    expect(result.error).toMatchObject({ code: 'agent_auth_failed', message: 'Missing environment variable: `K`.' })
  })
})

describe('earlier releases of codex', () => {
  it('use other names for messages, tools and reasoning', () => {
    const lines = [
      { type: 'reasoning', text: 'Hm.' },
      completed({ type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"cmd":"ls"}' }),
      completed({ type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
      completed({ type: 'message', content: [{ type: 'output_text', text: 'One file.' }] }),
      { type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage: { input_tokens: 5 } } } },
      { type: 'event_msg', payload: { type: 'other' } },
    ]
    const { events, result } = read([...lines, { type: 'turn.completed', usage: { input_tokens: 5 } }])
    expect(events).toEqual([
      { type: 'thinking', content: { text: 'Hm.' } },
      { type: 'tool_use', content: { tool_id: 'c1', tool_name: 'shell', input: { cmd: 'ls' } } },
      { type: 'tool_result', content: { tool_id: 'c1', tool_name: 'shell', output: 'a.txt' } },
      { type: 'message', content: { text: 'One file.', role: 'assistant' } },
      { type: 'token_usage', content: usageOf(5, 0, 0, 0) },
      { type: 'token_usage', content: usageOf(5, 0, 0, 0) },
    ])
    expect(result.text).toBe('One file.')
  })
})

describe('what codex logs about a tool call that it did not start', () => {
  it.each([
    ['in plain text', 'ERROR codex_core::tools::router: error=patch rejected: writing is blocked'],
    [
      'in color',
      '\u001b[31mERROR\u001b[0m \u001b[2mcodex_core::tools::router\u001b[0m\u001b[2m:\u001b[0m \u001b[3merror\u001b[0m\u001b[2m=\u001b[0mpatch rejected: writing is blocked',
    ],
  ])('is a denial: %s', (_, stderr) => {
    expect(new CodexOutput(undefined).deniedOnStderr(stderr)).toEqual([{ tool: 'apply_patch' }])
  })
})
