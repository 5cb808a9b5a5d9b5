import { describe, expect, it } from 'vitest'
import { readRecording, replay } from '../../../test/support/replay-recording.ts'
import { gemini } from './agent.ts'

const STATS = { total_tokens: 20, input_tokens: 10, output_tokens: 7, cached: 4 }
const DONE = { type: 'result', status: 'success', stats: STATS }

function read(lines: readonly unknown[], { code = 0, stderrTail = '' } = {}) {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  return replay(gemini, { lines: texts, end: { code, signal: null, stderrTail } })
}

const piece = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
const whole = (content: string) => ({ type: 'message', role: 'assistant', content })

describe('the events of gemini', () => {
  it('are those of a whole run with a tool, without the echo of the prompt', () => {
    const id = 'run_shell_command__run_shell_command_1794703510258_0'
    const partial = (text: string) => ({ type: 'message', content: { text, role: 'assistant', is_partial: true } })
    expect(replay(gemini, readRecording('gemini', 'tool.stream-json')).events).toEqual([
      {
        type: 'init',
        content: { model: 'gemini-2.5-pro', backend_session_id: '32608ea4-a935-4c9d-881f-78e38898ae44' },
      },
      partial('I will'),
      partial(' run a command.'),
      {
        type: 'tool_use',
        content: {
          tool_id: id,
          tool_name: 'run_shell_command',
          input: { command: 'echo tool-ran-ok; pwd', description: 'Run a command' },
        },
      },
      {
        type: 'tool_result',
        content: { tool_id: id, tool_name: 'run_shell_command', output: 'tool-ran-ok\n/workspace' },
      },
      partial('The command'),
      partial(' printed its output.'),
      {
        type: 'token_usage',
        content: { input_tokens: 2000, output_tokens: 100, cached_tokens: 1200, reasoning_tokens: 14 },
      },
    ])
  })

  it('report a denied tool as failed, with the reason', () => {
    const { events } = replay(gemini, readRecording('gemini', 'tool-denied.stream-json'))
    const why =
      'Tool "run_shell_command" not found. Did you mean one of: "update_topic", "grep_search", "invoke_agent"?'
    expect(events.find(({ type }) => type === 'tool_result')?.content).toMatchObject({
      tool_name: 'run_shell_command',
      is_error: true,
      error_message: why,
    })
  })

  it('show a warning as progress', () => {
    const warning = { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' }
    expect(read([warning, DONE]).events[0]).toEqual({
      type: 'progress',
      content: { stage: 'warning', message: 'Loop detected, stopping execution' },
    })
  })

  it('do not repeat a text that came in pieces', () => {
    const { events } = read([piece('He'), piece('llo'), whole('Hello!'), DONE])
    expect(events.slice(0, 3).map((event) => event.content)).toEqual([
      { text: 'He', role: 'assistant', is_partial: true },
      { text: 'llo', role: 'assistant', is_partial: true },
      { text: '!', role: 'assistant' },
    ])
  })
})

describe('the answer of gemini', () => {
  const tool = { type: 'tool_use', tool_id: 't', tool_name: 'glob', parameters: {} }

  it('is the text after the last tool call', () => {
    expect(read([piece('I look'), tool, piece('Two '), piece('files'), DONE]).result.text).toBe('Two files')
  })

  it('is the text before the last tool call if none follows', () => {
    expect(read([piece('I look'), tool, DONE]).result.text).toBe('I look')
  })
})

describe('the result of gemini', () => {
  it.each([
    ['its own message', [{ type: 'result', status: 'error', error: { message: 'no luck' } }], 'no luck'],
    [
      'the error before it',
      [
        { type: 'error', severity: 'error', message: 'no luck' },
        { type: 'result', status: 'error' },
      ],
      'no luck',
    ],
    ['nothing', [{ type: 'result', status: 'error' }], 'gemini ended with an error'],
  ])('is a failure of a result with %s, although it exits with 0', (_, lines, message) => {
    expect(read(lines).result.error).toMatchObject({ code: 'agent_failed', message })
  })

  it('is a failure when no request was sent to the model', () => {
    const { error } = read([{ ...DONE, stats: { total_tokens: 0 } }]).result
    expect(error).toEqual({
      code: 'agent_ended_early',
      message: 'gemini ended without a request to the model; the prompt may be too large',
    })
  })

  it.each([
    ['said something', [piece('Hi'), { ...DONE, stats: { total_tokens: 0 } }]],
    [
      'used a tool',
      [
        { type: 'tool_use', tool_id: 't', tool_name: 'glob' },
        { ...DONE, stats: { total_tokens: 0 } },
      ],
    ],
    ['does not count', [piece('Hi'), { type: 'result', status: 'success' }]],
  ])('is a success without tokens if it %s', (_, lines) => {
    expect(read(lines).result.error).toBeUndefined()
  })

  it.each([
    [41, 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.', 'agent_auth_failed'],
    [41, 'Please set an auth method', 'agent_auth_failed'],
    [55, 'Gemini CLI is not running in a trusted directory.', 'agent_failed'],
    [53, 'Enough', 'agent_max_turns'],
    [143, 'Enough', 'agent_failed'],
    [144, 'Bad request', 'agent_request_rejected'],
    [145, 'No', 'agent_auth_failed'],
    [173, 'No', 'agent_rate_limited'],
    [244, 'No', 'agent_service_failed'],
    [247, 'No', 'agent_overloaded'],
    [255, 'No', 'agent_service_failed'],
  ])('reads exit code %i', (code, stderrTail, expected) => {
    expect(read([], { code, stderrTail }).result.error).toMatchObject({ code: expected, message: stderrTail })
  })

  it('has the code even without a message', () => {
    expect(read([], { code: 41 }).result.error?.code).toBe('agent_auth_failed')
  })
})

describe('the usage of gemini', () => {
  it('counts as reasoning what only the total includes, and never less than zero', () => {
    expect(read([DONE]).result.usage.reasoning_tokens).toBe(3)
    expect(read([{ ...DONE, stats: { ...STATS, total_tokens: 5 } }]).result.usage.reasoning_tokens).toBe(0)
  })

  it('is the sum over all models in a document', () => {
    const tokens = { prompt: 10, candidates: 2, cached: 3, thoughts: 1 }
    const { result } = read([{ response: 'Hi', stats: { models: { a: { tokens }, b: { tokens } } } }])
    expect(result.usage).toEqual({ input_tokens: 20, output_tokens: 4, cached_tokens: 6, reasoning_tokens: 2 })
  })
})

describe('other formats and earlier releases of gemini', () => {
  it('may have lines before one object over several lines', () => {
    const text = JSON.stringify({ session_id: 's', response: 'Hi', stats: {} }, null, 2)
    const { result, events } = read(['Loaded cached credentials.', ...text.split('\n')])
    expect(result).toMatchObject({ text: 'Hi', sessionId: 's' })
    expect(events).toEqual([{ type: 'message', content: { text: 'Hi', role: 'assistant' } }])
  })

  it('may put an error into the object', () => {
    const error = { type: 'INVALID_STREAM', message: 'The model returned an empty response' }
    const { result } = read([{ session_id: 's', response: '', error }])
    expect(result.error).toMatchObject({ code: 'agent_ended_early', message: 'The model returned an empty response' })
  })

  it('use other names for ids, tools, results and counts', () => {
    const lines = [
      { type: 'init', sessionId: 's-1' },
      { type: 'message', content: 'Looking.' },
      { type: 'tool_use', toolCallId: 'c1', toolName: 'ls', args: { dir: '.' } },
      { type: 'tool_result', toolCallId: 'c1', result: { files: 2 } },
      { type: 'result', stats: { tokenUsage: { inputTokens: 5, outputTokens: 6 } } },
    ]
    const { events, result } = read(lines)
    expect(events).toEqual([
      { type: 'init', content: { backend_session_id: 's-1' } },
      { type: 'message', content: { text: 'Looking.', role: 'assistant' } },
      { type: 'tool_use', content: { tool_id: 'c1', tool_name: 'ls', input: { dir: '.' } } },
      { type: 'tool_result', content: { tool_id: 'c1', tool_name: 'ls', output: '{"files":2}' } },
      {
        type: 'token_usage',
        content: { input_tokens: 5, output_tokens: 6, cached_tokens: 0, reasoning_tokens: 0 },
      },
    ])
    expect(result).toMatchObject({ text: 'Looking.', sessionId: 's-1' })
    expect(result.error).toBeUndefined()
  })
})
