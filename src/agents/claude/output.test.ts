import { describe, expect, it } from 'vitest'
import { readRecording, replay } from '../../../test/support/replay-recording.ts'
import { claude } from './agent.ts'
import { withoutEarlier } from './result.ts'

const DONE = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'All done.',
  session_id: 's-1',
  num_turns: 1,
}

function read(lines: readonly unknown[], { code = 0, stderrTail = '' } = {}) {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  return replay(claude, { lines: texts, end: { code, signal: null, stderrTail } })
}

function assistant(content: readonly unknown[], more: object = {}) {
  return { type: 'assistant', message: { role: 'assistant', model: 'm-1', content }, parent_tool_use_id: null, ...more }
}

function streamed(event: object, more: object = {}) {
  return { type: 'stream_event', event, parent_tool_use_id: null, ...more }
}

const start = streamed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const piece = (text: string) => streamed({ type: 'content_block_delta', delta: { type: 'text_delta', text } })
const thought = (thinking: string) =>
  streamed({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking } })
const message = (text: string) => ({ type: 'message', content: { text, role: 'assistant' } })
const partial = (text: string) => ({ type: 'message', content: { text, role: 'assistant', is_partial: true } })

describe('the events of claude', () => {
  it('are those of a whole run with a tool', () => {
    expect(replay(claude, readRecording('claude', 'tool.stream-json')).events).toEqual([
      {
        type: 'init',
        content: {
          model: 'claude-sonnet-4-5',
          backend_session_id: '962852af-6a77-4f7c-aa5b-288a5f9aa31f',
          working_dir: '/workspace',
        },
      },
      message('I will run a command.'),
      {
        type: 'tool_use',
        content: {
          tool_id: 'toolu_fake000155',
          tool_name: 'Bash',
          input: { command: 'echo tool-ran-ok; pwd', description: 'Run a command' },
        },
      },
      {
        type: 'tool_result',
        content: { tool_id: 'toolu_fake000155', tool_name: 'Bash', output: 'tool-ran-ok\n/workspace' },
      },
      message('The command printed its output.'),
      {
        type: 'token_usage',
        content: { input_tokens: 800, output_tokens: 100, cached_tokens: 1200, reasoning_tokens: 0 },
      },
    ])
  })

  it('report a denied tool as failed, with the reason', () => {
    const { events } = replay(claude, readRecording('claude', 'tool-denied.stream-json'))
    const why =
      'This Bash command contains multiple operations. The following parts require approval: echo data, echo x'
    expect(events.find(({ type }) => type === 'tool_result')?.content).toEqual({
      tool_id: 'toolu_fake000134',
      tool_name: 'Bash',
      output: why,
      is_error: true,
      error_message: why,
    })
  })

  it('report a retry as progress, not as an error', () => {
    const { events } = replay(claude, readRecording('claude', 'e401.stream-json'))
    expect(events[1]).toEqual({
      type: 'progress',
      content: { stage: 'retry', message: 'retry 1 of 1 after 401 authentication_failed' },
    })
  })

  it('are one for each block of a message', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'One.' },
      { type: 'tool_use', id: 't1', name: 'Read', input: {} },
      { type: 'text', text: 'Two.' },
    ]
    expect(read([assistant(content), DONE]).events).toEqual([
      { type: 'thinking', content: { text: 'Hm.' } },
      message('One.'),
      { type: 'tool_use', content: { tool_id: 't1', tool_name: 'Read', input: {} } },
      message('Two.'),
    ])
  })

  it('join the text blocks of a tool’s result', () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, { type: 'image' }]
    const user = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't9', content }] } }
    expect(read([user, DONE]).events[0]).toEqual({
      type: 'tool_result',
      content: { tool_id: 't9', tool_name: 'unknown', output: 'a\nb\n{"type":"image"}' },
    })
  })
})

describe('text in pieces', () => {
  it('is not repeated as a whole', () => {
    const lines = [start, piece('All '), piece('done.'), assistant([{ type: 'text', text: 'All done.' }]), DONE]
    expect(read(lines).events).toEqual([partial('All '), partial('done.')])
  })

  it('is completed by the rest of the whole text', () => {
    const lines = [start, piece('All '), assistant([{ type: 'text', text: 'All done.' }]), DONE]
    expect(read(lines).events).toEqual([partial('All '), message('done.')])
  })

  it('is followed by the whole text if that differs, as after a cut stream', () => {
    const lines = [start, piece('partial '), assistant([{ type: 'text', text: 'All done.' }]), DONE]
    const { events, result } = read(lines)
    expect(events).toEqual([partial('partial '), message('All done.')])
    expect(result.text).toBe('All done.')
  })

  it('restarts with each block', () => {
    const lines = [start, piece('ab'), start, piece('cd'), assistant([{ type: 'text', text: 'cd' }]), DONE]
    expect(read(lines).events).toEqual([partial('ab'), partial('cd')])
  })

  it('works for thinking too', () => {
    const lines = [start, thought('Hm'), assistant([{ type: 'thinking', thinking: 'Hm.' }]), DONE]
    expect(read(lines).events.slice(0, 2)).toEqual([
      { type: 'thinking', content: { text: 'Hm', is_partial: true } },
      { type: 'thinking', content: { text: '.' } },
    ])
  })
})

describe('what a turn has used so far', () => {
  it.each(['tool.stream-json', 'tool.stream-json-partial', 'thinking.stream-json-partial'])(
    'is known after each model request of %s, and at the end the same as its result',
    (name) => {
      const reader = claude.createReader({})
      const { lines, end } = readRecording('claude', name)
      const seen = lines.flatMap((line) => {
        reader.readLine(line)
        return reader.usageSoFar() ?? []
      })
      const { usage } = reader.finish(end, new Date()).result
      const { output_tokens, ...read } = usage
      expect(seen.at(-1)).toMatchObject(read)
      // Without pieces, claude counts the output of a request when it begins.
      if (name.endsWith('partial')) expect(seen.at(-1)).toMatchObject({ output_tokens })
      expect(seen[0]?.input_tokens).toBe(name.startsWith('tool') ? usage.input_tokens / 2 : usage.input_tokens)
    },
  )

  it('leaves out sub-agents, as its result does', () => {
    const reader = claude.createReader({})
    const message = { id: 'msg_1', model: 'm', content: [], usage: { input_tokens: 5, output_tokens: 1 } }
    reader.readLine(JSON.stringify({ type: 'assistant', parent_tool_use_id: 'toolu_1', message }))
    expect(reader.usageSoFar()).toBeUndefined()
  })
})

describe('a sub-agent', () => {
  const ofSubAgent = { parent_tool_use_id: 't1' }

  it('reports its tool calls, but no text', () => {
    const lines = [
      assistant([{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'look' } }]),
      { type: 'user', message: { content: [{ type: 'text', text: 'look' }] }, ...ofSubAgent },
      streamed({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'psst' } }, ofSubAgent),
      assistant(
        [
          { type: 'text', text: 'psst' },
          { type: 'thinking', thinking: 'hm' },
        ],
        ofSubAgent,
      ),
      assistant([{ type: 'tool_use', id: 't2', name: 'Read', input: {} }], ofSubAgent),
      assistant([{ type: 'text', text: 'All done.' }]),
      DONE,
    ]
    const { events, result } = read(lines)
    expect(events.map(({ type }) => type)).toEqual(['tool_use', 'tool_use', 'message'])
    expect(result.text).toBe('All done.')
  })
})

const RESETS_AT = 1_794_960_000

describe('the result of claude', () => {
  it('depends on is_error, not on the subtype or the exit code', () => {
    const failed = { ...DONE, is_error: true, result: 'API Error: 529 overloaded', api_error_status: 529 }
    expect(read([failed]).result.error).toMatchObject({
      code: 'agent_overloaded',
      message: 'API Error: 529 overloaded',
    })
    expect(read([DONE], { code: 1 }).result.error).toBeUndefined()
  })

  it.each([
    ['of a plan that is used up', { status: 'rejected', resetsAt: RESETS_AT }, 429, 7200],
    ['of a plan that is not used up', { status: 'allowed_warning', resetsAt: RESETS_AT }, 429, undefined],
    ['that has nothing to do with the failure', { status: 'rejected', resetsAt: RESETS_AT }, 400, undefined],
    ['without a number', { status: 'rejected', resetsAt: 'soon' }, 429, undefined],
  ])('has the reset time %s', (_, limits, api_error_status, seconds) => {
    const lines = [
      { type: 'rate_limit_event', rate_limit_info: limits },
      { ...DONE, is_error: true, result: "You've hit your limit", api_error_status },
    ]
    const recording = {
      lines: lines.map((line) => JSON.stringify(line)),
      end: { code: 1, signal: null, stderrTail: '' },
    }
    const { error } = replay(claude, recording, { now: new Date((RESETS_AT - 7200) * 1000) }).result
    expect([error?.code, error?.retryAfterSecs]).toEqual(['agent_usage_limited', seconds])
  })

  it('is a failure if the subtype is an error', () => {
    const failed = { type: 'result', subtype: 'error_during_execution', errors: ['disk full', 'and more'] }
    expect(read([failed]).result.error).toMatchObject({ code: 'agent_failed', message: 'disk full; and more' })
  })

  it.each([
    ['error_during_execution', ['[ede_diagnostic] result_type=user'], 'agent_failed'],
    ['error_max_turns', [], 'agent_max_turns'],
  ])('names the subtype %s when there is no message', (subtype, errors, code) => {
    const { result } = read([{ type: 'result', subtype, is_error: true, errors }])
    expect(result.error).toMatchObject({ code, message: `claude ended with ${subtype}` })
  })

  it('takes the model from messages when there is no init event', () => {
    expect(read([assistant([{ type: 'text', text: 'All done.' }]), DONE]).result.model).toBe('m-1')
  })

  it('takes a synthetic message as an error, not as the answer', () => {
    const content = [{ type: 'text', text: 'Not logged in · Please run /login' }]
    const line = { type: 'assistant', message: { model: '<synthetic>', content }, error: 'authentication_failed' }
    const { events, result } = read([line], { code: 1 })
    expect(events).toEqual([])
    expect(result).toMatchObject({
      text: '',
      error: { code: 'agent_auth_failed', message: 'Not logged in · Please run /login' },
    })
  })

  it('takes the counts per model when the totals are all zero', () => {
    const usage = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
    const perModel = { inputTokens: 400, outputTokens: 50, cacheReadInputTokens: 600 }
    const { result } = read([{ ...DONE, usage, modelUsage: { a: perModel, b: perModel } }])
    expect(result.usage).toEqual({
      input_tokens: 800,
      output_tokens: 100,
      cached_tokens: 1200,
      reasoning_tokens: 0,
    })
  })
})

describe('the context of claude', () => {
  it('is what its last request used, of the window of its model', () => {
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
    const answer = { role: 'assistant', model: 'm-1', id: 'a', content: 'x', usage }
    const modelUsage = { 'm-1': { contextWindow: 1000 }, 'm-2': { contextWindow: 9 } }
    const lines = [
      { type: 'assistant', message: answer },
      { ...DONE, modelUsage },
    ]
    expect(read(lines).result.context).toEqual({ used_tokens: 132, window_tokens: 1000 })
    expect(read([lines[0], DONE]).result).not.toHaveProperty('context')
  })
})

describe('other formats and earlier releases of claude', () => {
  const usage = { input_tokens: 3, output_tokens: 4 }

  it('may print one object over several lines', () => {
    const { events, result } = read(JSON.stringify({ ...DONE, usage }, null, 2).split('\n'))
    expect(events.map(({ type }) => type)).toEqual(['message', 'token_usage'])
    expect(result).toMatchObject({ text: 'All done.', sessionId: 's-1', usage: { input_tokens: 3 } })
  })

  it('may print a result without a type', () => {
    const { result } = read([{ result: 'hello', session_id: 's-2', usage }])
    expect(result).toMatchObject({ text: 'hello', sessionId: 's-2', usage: { output_tokens: 4 } })
    expect(result.error).toBeUndefined()
  })

  it.each([
    ['a result with an error', [{ type: 'result', error: 'no luck' }]],
    ['an error with a message', [{ type: 'error', message: 'no luck' }]],
    ['an error with an object', [{ type: 'error', error: { message: 'no luck' } }]],
  ])('may fail with %s', (_, lines) => {
    expect(read(lines, { code: 1 }).result.error).toMatchObject({ code: 'agent_failed', message: 'no luck' })
  })

  it('may stream without a wrapper and stop without a result', () => {
    const lines = [
      { type: 'system', session_id: 's-3' },
      { type: 'assistant', message: { content: 'I read it.' } },
      { type: 'tool_result', tool_use_id: 't1', content: 'text', is_error: false },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'All' } },
      { type: 'message_stop' },
    ]
    const { events, hasEnded, result } = read(lines)
    expect(events.map(({ type }) => type)).toEqual(['init', 'message', 'tool_result', 'message'])
    expect(hasEnded).toBe(false)
    expect(result).toMatchObject({ text: 'All', sessionId: 's-3' })
    expect(result.error).toBeUndefined()
  })
})

describe('withoutEarlier', () => {
  const counts = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, contextWindow: 9 })
  const zero = { cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }

  it('subtracts what the process had counted before', () => {
    const earlier = { total_cost_usd: 0.1, modelUsage: { a: counts(10, 5) } }
    const result = {
      total_cost_usd: 0.3,
      usage: { input_tokens: 7 },
      modelUsage: { a: counts(17, 6), b: counts(1, 2) },
    }
    expect(withoutEarlier(result, earlier)).toEqual({
      total_cost_usd: 0.2,
      usage: { input_tokens: 7 },
      modelUsage: { a: { ...counts(7, 1), ...zero }, b: { ...counts(1, 2), ...zero } },
    })
  })

  it('changes nothing in a first turn, and if claude has counted from zero', () => {
    const result = { total_cost_usd: 0.1, modelUsage: { a: counts(10, 5) } }
    expect(withoutEarlier(result, { total_cost_usd: 0.2, modelUsage: { a: counts(8, 4) } })).toEqual(result)
    expect(withoutEarlier({ total_cost_usd: 0.1 }, undefined)).toEqual({ total_cost_usd: 0.1 })
  })
})
