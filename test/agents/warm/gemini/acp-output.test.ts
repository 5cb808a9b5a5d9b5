import { describe, expect, it } from 'vitest'
import type { FollowedTurn } from '../followed-turn.ts'
import { linesSince, readFrames, replayTurn } from '../replay-frames.ts'
import { GeminiAcpOutput } from './acp-output.ts'

const S = 'session-1'
const TURN: FollowedTurn = { sessionId: S, openings: [], prompt: 5 }
const update = (sessionUpdate: string, fields: object) => ({
  method: 'session/update',
  params: { sessionId: S, update: { sessionUpdate, ...fields } },
})
const chunk = (text: string) => update('agent_message_chunk', { content: { type: 'text', text } })
const tool = (fields: object) => update('tool_call_update', { toolCallId: 'c1', kind: 'read', ...fields })
const stops = (stopReason: unknown) => ({ id: 5, result: { stopReason } })
const refused = (error: object) => ({ id: 5, error })
const piece = (text: string) => ({ type: 'message', content: { text, role: 'assistant', is_partial: true } })
const INIT = { type: 'init', content: { backend_session_id: S } }

function read(frames: readonly object[], turn = TURN) {
  return replayTurn(
    new GeminiAcpOutput(turn),
    frames.map((frame) => JSON.stringify(frame)),
  )
}

/** What a turn of a recording gives. */
function readTurn(name: string, turn: FollowedTurn) {
  return replayTurn(new GeminiAcpOutput(turn), linesSince(readFrames('gemini', name), turn)).events
}

describe('the events of a long-lived gemini', () => {
  it('are those of a whole turn in a session of its own', () => {
    expect(readTurn('warm', { openings: [11], prompt: 12 })).toEqual([
      {
        type: 'init',
        content: { model: 'gemini-2.5-pro', backend_session_id: '99266926-84a3-4151-a6f6-4f0bfbe90817' },
      },
      piece('Hello'),
      piece(' from'),
      piece(' the fake'),
      piece(' model.'),
      {
        type: 'token_usage',
        content: { input_tokens: 1000, output_tokens: 50, cached_tokens: 0, reasoning_tokens: 0 },
      },
    ])
  })

  it('show a tool call, its approval request and its end', () => {
    const turn = { sessionId: '99266926-84a3-4151-a6f6-4f0bfbe90817', openings: [], prompt: 13 }
    const call = {
      tool_id: 'run_shell_command__run_shell_command_1794703458089_0',
      tool_name: 'run_shell_command',
    }
    expect(readTurn('warm', turn).slice(3, 6)).toEqual([
      { type: 'tool_use', content: { ...call, input: { title: 'echo tool-ran-ok; pwd' } } },
      { type: 'progress', content: { stage: 'approval_requested', message: 'echo tool-ran-ok; pwd' } },
      { type: 'tool_result', content: call },
    ])
  })

  it('contain the output of a tool at its end', () => {
    const turn = { sessionId: '11301fe6-d5ed-4ed6-931e-77c3c5c4f2ca', openings: [], prompt: 60 }
    expect(readTurn('warm-modes', turn)[2]).toEqual({
      type: 'tool_result',
      content: {
        tool_id: 'run_shell_command__run_shell_command_1794704733984_0',
        tool_name: 'run_shell_command',
        output: 'Command cancelled by user.',
      },
    })
  })

  it('contain whole thoughts', () => {
    const turn = { sessionId: '99266926-84a3-4151-a6f6-4f0bfbe90817', openings: [], prompt: 16 }
    expect(readTurn('warm', turn)[1]).toEqual({
      type: 'thinking',
      content: { text: '****\nLet me think about it.' },
    })
  })

  it('show a mode change as progress, not as text of the model', () => {
    const { events, result } = read([chunk('a'), chunk('[MODE_UPDATE] autoEdit'), chunk('b'), stops('end_turn')])
    expect(events.slice(1)).toEqual([
      piece('a'),
      { type: 'progress', content: { stage: 'mode_changed', message: 'autoEdit' } },
      piece('b'),
    ])
    expect(result.text).toBe('ab')
  })

  it('are only those after the requests before the prompt are answered', () => {
    const opened = { id: 4, result: { models: { currentModelId: 'm' } } }
    const history = [update('user_message_chunk', { content: { text: 'Old?' } }), chunk('Old.')]
    const { events, result } = read([...history, opened, chunk('New.')], { ...TURN, openings: [4] })
    expect(events).toEqual([{ type: 'init', content: { model: 'm', backend_session_id: S } }, piece('New.')])
    expect(result).toMatchObject({ text: 'New.', model: 'm' })
  })

  it('leave out everything as long as there is no session', () => {
    const frame = {
      method: 'session/update',
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { text: 'x' } } },
    }
    expect(read([frame], { openings: [], prompt: 5 }).events).toEqual([])
  })

  it('begin when the last of these requests is answered', () => {
    const turn = { ...TURN, openings: [3, 4], model: 'm' }
    expect(read([{ id: 4, result: {} }], turn).events).toEqual([])
    expect(
      read(
        [
          { id: 4, result: {} },
          { id: 3, result: null },
        ],
        turn,
      ).events,
    ).toHaveLength(1)
  })

  it.each([
    [
      'that failed',
      { status: 'failed', content: [{ content: { text: 'gone' } }] },
      { output: 'gone', is_error: true, error_message: 'gone' },
    ],
    ['that failed without a word', { status: 'failed' }, { is_error: true, error_message: 'the tool failed' }],
    [
      'that changed a file',
      { status: 'completed', content: [{ type: 'diff', path: 'a' }] },
      { output: '{"type":"diff","path":"a"}' },
    ],
  ])('announce a tool %s and was not reported before', (_, fields, result) => {
    expect(read([tool(fields)]).events.slice(1)).toEqual([
      { type: 'tool_use', content: { tool_id: 'c1', tool_name: 'read' } },
      { type: 'tool_result', content: { tool_id: 'c1', tool_name: 'read', ...result } },
    ])
  })

  it.each([
    ['docs__find__docs__find_1794703458089_0', 'docs__find'],
    ['read_file__write_file_1794703458089_0', 'read'],
    ['read_file-1794703458089', 'read'],
    [`${'x'.repeat(200)}__${'x'.repeat(200)}_1_0`, 'x'.repeat(200)],
    [`${'x'.repeat(201)}__${'x'.repeat(201)}_1_0`, 'read'],
  ])('name the tool of the call %s', (toolCallId, name) => {
    expect(read([tool({ toolCallId, status: 'in_progress' })]).events[1]).toMatchObject({
      content: { tool_name: name },
    })
  })
})

describe('the result of a turn of a long-lived gemini', () => {
  it('contains the model of an earlier turn, unless this one reports another', () => {
    const frames = [{ id: 4, result: {} }, chunk('Hi')]
    const turn = { ...TURN, openings: [4], model: 'm' }
    expect(read([...frames, stops('end_turn')], turn).result.model).toBe('m')
    const meta = { quota: { model_usage: [{ model: 'n' }] } }
    expect(read([...frames, { id: 5, result: { stopReason: 'end_turn', _meta: meta } }], turn).result.model).toBe('n')
  })

  it('contains the text since the last tool call, or the text before it if none follows', () => {
    const frames = [chunk('I will.'), tool({ status: 'pending' }), tool({ status: 'completed' })]
    expect(read([...frames, chunk('Do'), chunk('ne.'), stops('end_turn')]).result.text).toBe('Done.')
    expect(read([...frames, stops('end_turn')]).result.text).toBe('I will.')
  })

  it('is a success without any text if a tool was used', () => {
    expect(read([tool({ status: 'completed' }), stops('end_turn')]).result.error).toBeUndefined()
  })

  it.each([
    ['end_turn', 'agent_failed', 'gemini ended the turn without an answer'],
    ['cancelled', 'agent_ended_early', 'gemini was interrupted'],
    ['max_turn_requests', 'agent_max_turns', 'gemini used up its turns, or repeated itself'],
    ['max_tokens', 'agent_ended_early', 'gemini ended without a request to the model; the prompt may be too large'],
    ['refusal', 'agent_failed', 'gemini stopped (refusal)'],
    ['constructor', 'agent_failed', 'gemini stopped (constructor)'],
    [null, 'agent_failed', 'gemini stopped (nothing said)'],
  ])('without text, stopped by %j, is %s', (reason, code, message) => {
    expect(read([stops(reason)]).result.error).toMatchObject({ code, message })
  })

  it.each([
    [{ code: 401, message: '{"error":{"code":401,"message":"no","status":"X"}}' }, 'agent_auth_failed', '401 X: no'],
    [{ code: 429, message: 'Rate limit exceeded.' }, 'agent_rate_limited', 'Rate limit exceeded.'],
    [{ code: 503, message: 'busy' }, 'agent_overloaded', 'busy'],
    // What gemini says of anything that has no status.
    [{ code: 500, message: 'terminated' }, 'agent_unreachable', 'terminated'],
    [{ code: 500, message: '{"error":{"code":500,"message":"no"}}' }, 'agent_service_failed', '500: no'],
    [
      { code: -32603, message: 'Internal error', data: { details: 'No previous sessions found for this project.' } },
      'agent_session_missing',
      'No previous sessions found for this project.',
    ],
    [{ code: -32603, message: 'Internal error', data: {} }, 'agent_failed', 'Internal error'],
    [{}, 'agent_failed', 'gemini refuses the request'],
  ])('on the answer %j is %s', (error, code, message) => {
    expect(read([refused(error)]).result.error).toMatchObject({ code, message })
  })

  it('keeps the text before the failure', () => {
    const { events, result } = read([chunk('partial '), refused({ code: 500, message: 'terminated' })])
    expect(events).toEqual([INIT, piece('partial ')])
    expect(result).toMatchObject({ text: 'partial ', error: { code: 'agent_unreachable' } })
  })
})
