import { describe, expect, it } from 'vitest'
import type { Usage } from '../../../../src/agents/adapter/agent.ts'
import type { FollowedTurn } from '../followed-turn.ts'
import { linesSince, readFrames, replayTurn } from '../replay-frames.ts'
import { CodexThreadOutput } from './thread-output.ts'

const T = 'thread-1'
const U = 'turn-1'
const TURN: FollowedTurn = { sessionId: T, openings: [], prompt: 5 }
const NAMED = { id: 5, result: { turn: { id: U } } }
const news = (method: string, params: object) => ({ method, params: { threadId: T, turnId: U, ...params } })
const completed = (item: object) => news('item/completed', { item: { id: 'i1', ...item } })
const ends = (turn: object) => ({ method: 'turn/completed', params: { threadId: T, turn: { id: U, ...turn } } })
const DONE = ends({ status: 'completed' })
const piece = (text: string) => ({ type: 'message', content: { text, role: 'assistant', is_partial: true } })
const whole = (text: string) => ({ type: 'message', content: { text, role: 'assistant' } })
const thought = (text: string) => ({ type: 'thinking', content: { text, is_partial: true } })
const INIT = { type: 'init', content: { backend_session_id: T } }

/** Reads a turn whose name is known; the events are those after `init`. */
function read(frames: readonly object[], prior?: Usage) {
  const lines = [NAMED, ...frames].map((frame) => JSON.stringify(frame))
  const { events, result } = replayTurn(new CodexThreadOutput(TURN, prior), lines)
  expect(events[0]).toEqual(INIT)
  return { events: events.slice(1), result }
}

describe('the events of a long-lived codex', () => {
  it('are those of a whole turn in a thread of its own, with an approval', () => {
    const turn = { openings: [11], prompt: 12 }
    const lines = linesSince(readFrames('codex', 'warm-approval'), turn)
    const command = "/bin/bash -lc 'echo escalated'"
    const call = { tool_id: 'call_fake000027', tool_name: 'command_execution' }
    expect(replayTurn(new CodexThreadOutput(turn, undefined), lines).events).toEqual([
      {
        type: 'init',
        content: {
          model: 'gpt-5.5',
          backend_session_id: '01a1dcbc-deab-7f32-b5d1-6f21fe34fd59',
          working_dir: '/workspace',
        },
      },
      { type: 'progress', content: { stage: 'turn_started' } },
      { type: 'tool_use', content: { ...call, input: { command } } },
      {
        type: 'progress',
        content: { stage: 'approval_requested', message: `${command}: needs to leave the sandbox` },
      },
      { type: 'tool_result', content: { ...call, output: 'escalated\n' } },
      piece('Escalation answered.'),
      {
        type: 'token_usage',
        content: { input_tokens: 2000, output_tokens: 100, cached_tokens: 1200, reasoning_tokens: 14 },
      },
    ])
  })

  it('report a denied command', () => {
    const turn = { sessionId: '01a1dcbc-deab-7f32-b5d1-6f21fe34fd59', openings: [], prompt: 13 }
    const lines = linesSince(readFrames('codex', 'warm-approval'), turn)
    expect(replayTurn(new CodexThreadOutput(turn, undefined), lines).events[4]).toEqual({
      type: 'tool_result',
      content: {
        tool_id: 'call_fake000035',
        tool_name: 'command_execution',
        is_error: true,
        error_message: 'declined',
      },
    })
  })

  it('report a retry with its reason as progress, not as an error', () => {
    const turn = { sessionId: '01a1dca9-47e6-7673-a1dd-538a6af15ec3', openings: [], prompt: 15 }
    const lines = linesSince(readFrames('codex', 'warm'), turn)
    expect(replayTurn(new CodexThreadOutput(turn, undefined), lines).events[2]).toEqual({
      type: 'progress',
      content: {
        stage: 'retry',
        message:
          'Reconnecting... 1/1 (unexpected status 401 Unauthorized: fake 401, url: http://127.0.0.1:18998/plain~warm/v1/responses, request id: req_fake000128)',
      },
    })
  })

  it('begin once, whichever of the two frames that name the turn comes first', () => {
    const started = { method: 'turn/started', params: { threadId: T, turn: { id: U } } }
    const lines = (frames: object[]) => frames.map((frame) => JSON.stringify(frame))
    for (const frames of [
      [started, NAMED],
      [NAMED, started],
    ]) {
      const { events } = replayTurn(new CodexThreadOutput(TURN, undefined), lines(frames))
      expect(events).toEqual([INIT, { type: 'progress', content: { stage: 'turn_started' } }])
    }
  })

  it('contain the model that an earlier turn reported', () => {
    const { events, result } = replayTurn(new CodexThreadOutput({ ...TURN, model: 'm' }, undefined), [
      JSON.stringify(NAMED),
    ])
    expect(events).toEqual([{ type: 'init', content: { model: 'm', backend_session_id: T } }])
    expect(result.model).toBe('m')
  })

  it('contain only the rest of a message that came in pieces', () => {
    const delta = (text: string) => news('item/agentMessage/delta', { delta: text })
    const message = { type: 'agentMessage', text: 'Hello.' }
    expect(read([delta('Hel'), delta('lo.'), completed(message)]).events).toEqual([piece('Hel'), piece('lo.')])
    expect(read([delta('Hel'), completed(message)]).events).toEqual([piece('Hel'), whole('lo.')])
    expect(read([completed(message)]).events).toEqual([whole('Hello.')])
  })

  it('contain the whole of a message that replaces a cut one', () => {
    const begins = news('item/started', { item: { id: 'i2', type: 'agentMessage', text: '' } })
    const cut = news('item/agentMessage/delta', { delta: 'Hel' })
    const { events, result } = read([begins, cut, begins, completed({ type: 'agentMessage', text: 'Hello.' }), DONE])
    expect(events).toEqual([piece('Hel'), whole('Hello.')])
    expect(result.text).toBe('Hello.')
  })

  it('contain reasoning of several parts once', () => {
    const part = (summaryIndex: number) => news('item/reasoning/summaryPartAdded', { summaryIndex })
    const delta = (text: string) => news('item/reasoning/summaryTextDelta', { delta: text })
    const begins = news('item/started', { item: { id: 'i1', type: 'reasoning', summary: [], content: [] } })
    const item = { type: 'reasoning', summary: ['One.', 'Two.'], content: [] }
    const { events } = read([begins, part(0), delta('One.'), part(1), delta('Two.'), completed(item)])
    expect(events).toEqual([thought('One.'), thought('\n\n'), thought('Two.')])
    expect(read([delta('One.'), begins, completed(item)]).events[1]).toEqual({
      type: 'thinking',
      content: { text: 'One.\n\nTwo.' },
    })
  })

  it('contain the reasoning itself where there are no summaries', () => {
    const item = { type: 'reasoning', summary: [], content: ['So.', 'Thus.'] }
    expect(read([completed(item)]).events).toEqual([{ type: 'thinking', content: { text: 'So.\n\nThus.' } }])
  })

  it.each([
    [
      'a change of files that fails',
      { type: 'fileChange', changes: [{ path: 'a', kind: { type: 'add' }, diff: '' }], status: 'failed' },
      { tool_name: 'file_change', input: { changes: [{ path: 'a', kind: { type: 'add' }, diff: '' }] } },
      { tool_name: 'file_change', is_error: true, error_message: 'failed' },
    ],
    [
      'a command that fails',
      { type: 'commandExecution', command: 'false', aggregatedOutput: 'no', exitCode: 3, status: 'failed' },
      { tool_name: 'command_execution', input: { command: 'false' } },
      { tool_name: 'command_execution', output: 'no', is_error: true, error_message: 'exit code 3' },
    ],
    [
      'an MCP tool',
      {
        type: 'mcpToolCall',
        server: 's',
        tool: 't',
        arguments: { q: 1 },
        result: { content: [{ text: 'x' }] },
        error: null,
      },
      { tool_name: 's.t', input: { q: 1 } },
      { tool_name: 's.t', output: 'x' },
    ],
    [
      'a search of the web',
      { type: 'webSearch', query: 'cats', action: null },
      { tool_name: 'web_search', input: { query: 'cats' } },
      { tool_name: 'web_search' },
    ],
  ])('name %s as codex exec does', (_, item, use, result) => {
    expect(read([completed(item)]).events).toEqual([
      { type: 'tool_use', content: { tool_id: 'i1', ...use } },
      { type: 'tool_result', content: { tool_id: 'i1', ...result } },
    ])
  })

  it.each([
    [
      'a plan',
      news('turn/plan/updated', { plan: [{ status: 'completed' }, { status: 'inProgress' }] }),
      {
        stage: 'todo_list',
        percent: 50,
        message: '1 of 2 done',
      },
    ],
    [
      'a warning',
      { method: 'warning', params: { threadId: T, message: 'Old.' } },
      { stage: 'warning', message: 'Old.' },
    ],
    [
      'a wish to change files',
      news('item/fileChange/requestApproval', { reason: null }),
      {
        stage: 'approval_requested',
        message: 'fileChange',
      },
    ],
  ])('show %s as progress', (_, frame, content) => {
    expect(read([frame]).events).toEqual([{ type: 'progress', content }])
  })

  it.each([
    ['the user', { type: 'userMessage', content: [{ type: 'text', text: 'Hi' }] }],
    ['is unknown', { type: 'hologram', text: 'Hi' }],
    ['every object has', { type: 'constructor', text: 'Hi' }],
  ])('leave out items of a type that %s', (_, item) => {
    expect(read([completed(item)]).events).toEqual([])
  })

  it('leave out everything as long as there is no thread, and warnings as long as there is no turn', () => {
    const frames = [
      { method: 'turn/started', params: { turn: { id: U } } },
      { method: 'item/completed', params: { turnId: U, item: { type: 'agentMessage', text: 'Hi' } } },
      { id: 4, result: { thread: { id: T } } },
      { method: 'warning', params: { threadId: T, message: 'Old.' } },
    ].map((frame) => JSON.stringify(frame))
    const turn = { openings: [4], prompt: 5 }
    expect(replayTurn(new CodexThreadOutput(turn, undefined), frames).events).toEqual([])
  })

  it('leave out the other turns of the thread', () => {
    const other = { turnId: 'turn-0' }
    const frames = [
      news('item/agentMessage/delta', { ...other, delta: 'x' }),
      { method: 'turn/completed', params: { threadId: T, turn: { id: 'turn-0', status: 'completed' } } },
      { method: 'turn/started', params: { threadId: T, turn: { id: 'turn-2' } } },
    ]
    const { events, result } = read(frames)
    expect(events).toEqual([])
    expect(result.error?.code).toBe('agent_ended_early')
  })
})

describe('the usage of a turn', () => {
  const counts = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens })
  const usage = (total: object, last: object, turnId = U) =>
    news('thread/tokenUsage/updated', { turnId, tokenUsage: { total, last } })
  const of = (input: number, output: number): Usage => ({
    input_tokens: input,
    output_tokens: output,
    cached_tokens: 0,
    reasoning_tokens: 0,
  })

  it('is the growth of the thread, reported once', () => {
    const frames = [usage(counts(150, 15), counts(50, 5)), usage(counts(180, 18), counts(30, 3)), DONE]
    const { events, result } = read(frames, of(100, 10))
    expect(events).toEqual([{ type: 'token_usage', content: of(80, 8) }])
    expect(result.usage).toEqual(of(80, 8))
    expect(result.threadUsage).toEqual(of(180, 18))
  })

  it('starts at the first request if earlier turns are unknown', () => {
    const { result } = read([usage(counts(150, 15), counts(50, 5)), usage(counts(180, 18), counts(30, 3)), DONE])
    expect(result.usage).toEqual(of(80, 8))
  })

  it('starts at the count of a resumed thread', () => {
    const { result } = read([usage(counts(100, 10), counts(9, 9), 'turn-0'), usage(counts(150, 15), counts(1, 1))])
    expect(result.usage).toEqual(of(50, 5))
  })

  it('is zero for a turn that repeats earlier counts', () => {
    const { events, result } = read([usage(counts(100, 10), counts(50, 5)), DONE], of(100, 10))
    expect(events).toEqual([])
    expect(result.usage).toEqual(of(0, 0))
  })

  it('leaves the thread where it was if the turn counts nothing', () => {
    expect(read([DONE], of(100, 10)).result.threadUsage).toEqual(of(100, 10))
    expect(read([DONE]).result.threadUsage).toBeUndefined()
  })
})

describe('the result of a turn of a long-lived codex', () => {
  const failed = (error: unknown) => ends({ status: 'failed', error })

  it.each([
    ['unauthorized', 'agent_auth_failed'],
    ['usageLimitExceeded', 'agent_rate_limited'],
    ['rateLimitExceeded', 'agent_rate_limited'],
    ['serverOverloaded', 'agent_overloaded'],
    ['internalServerError', 'agent_service_failed'],
    ['other', 'agent_failed'],
    ['constructor', 'agent_failed'],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'agent_auth_failed'],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'agent_rate_limited'],
    [{ responseStreamConnectionFailed: { httpStatusCode: null } }, 'agent_failed'],
    [null, 'agent_failed'],
  ])('a failure of the kind %j is %s', (codexErrorInfo, code) => {
    const { result } = read([failed({ message: 'x', codexErrorInfo })])
    expect(result.error).toMatchObject({ code, message: 'x' })
  })

  it('is the last error if the end has no message', () => {
    const { result } = read([news('error', { error: { message: 'no luck' }, willRetry: false }), failed(null)])
    expect(result.error).toMatchObject({ code: 'agent_failed', message: 'no luck' })
  })

  it('is that of the end, despite earlier errors', () => {
    expect(read([news('error', { error: { message: 'x' }, willRetry: false }), DONE]).result.error).toBeUndefined()
  })

  it.each([
    ['fails and does not say why', ends({ status: 'failed' }), 'codex reports that the turn failed'],
    [
      'fails with an empty word',
      ends({ status: 'failed', error: { message: ' ' } }),
      'codex reports that the turn failed',
    ],
    ['ends with an unknown status', ends({ status: 'evaporated' }), 'codex reports that the turn failed'],
    ['is refused without a word', { id: 5, error: { code: -32600 } }, 'codex refuses the request'],
  ])('is a failure of a turn that %s', (_, frame, message) => {
    expect(read([frame]).result.error).toMatchObject({ code: 'agent_failed', message })
  })

  it('takes smaller counts as they are, after a thread was compacted', () => {
    const small = news('thread/tokenUsage/updated', { tokenUsage: { total: { inputTokens: 10 }, last: {} } })
    const { result } = read([small, DONE], {
      input_tokens: 100,
      output_tokens: 10,
      cached_tokens: 0,
      reasoning_tokens: 0,
    })
    expect(result.usage.input_tokens).toBe(10)
  })
})
