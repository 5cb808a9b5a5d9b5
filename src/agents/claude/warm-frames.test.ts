import { describe, expect, it } from 'vitest'
import { outline } from '../../../test/support/replay-recording.ts'
import { type RecordedFrame, readFrameRecording } from '../../../test/support/warm-recording.ts'
import type { AgentEvent } from '../adapter/agent.ts'
import { NO_ANSWER } from '../adapter/answers.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { createOutputReader } from '../adapter/output-reader.ts'
import { ClaudeOutput } from './output.ts'
import { ClaudeTurnFrames, toApprovalRequest, toPermissionAnswer } from './warm-frames.ts'

const textOf = (frame: JsonRecord) => JSON.stringify(objectAt(frame, 'message')?.['content'])

/** The frames of each message that was sent: from the message to its result. */
function turnsIn(recording: readonly RecordedFrame[]) {
  const sent = recording.filter(({ isSent, frame }) => isSent && frame['type'] === 'user')
  const received = recording.filter(({ isSent }) => !isSent)
  let at = 0
  return sent.map(({ frame: message }) => {
    const end = received.findIndex(({ frame }, index) => index >= at && frame['type'] === 'result')
    const frames = received.slice(at, end + 1)
    at = end + 1
    return { message, frames }
  })
}

/** Reads a turn as a process does. A recording without repeated messages gets one before the result. */
function readTurn({ message, frames }: ReturnType<typeof turnsIn>[number], earlier: JsonRecord | undefined) {
  const repeated = frames.find(({ frame }) => frame['type'] === 'user' && textOf(frame) === textOf(message))
  const id = textAt(repeated?.frame, 'uuid') ?? 'our-message'
  const turn = new ClaudeTurnFrames(id, earlier)
  const reader = createOutputReader(new ClaudeOutput())
  const events: AgentEvent[] = []
  const kinds = new Set<string>()
  for (const { frame, line } of frames) {
    if (frame['type'] === 'result' && repeated === undefined) turn.read({ type: 'user', uuid: id })
    const read = turn.read(frame)
    if (read.kind === 'turn') events.push(...reader.readFrame(read.frame, line))
    else kinds.add(read.kind)
  }
  const hasEnded = reader.hasEnded()
  const end = reader.finish({ code: 1, signal: null, stderrTail: '' }, new Date())
  return { ...outline({ events: [...events, ...end.events], result: end.result }), hasEnded, kinds: [...kinds], end }
}

function readTurns(name: string) {
  let earlier: JsonRecord | undefined
  return turnsIn(readFrameRecording('claude', name)).map((turn) => {
    const { events, text, usage, error, hasEnded, kinds, end } = readTurn(turn, earlier)
    earlier = turn.frames.at(-1)?.frame
    return { events, text, usage, error: error?.[0], hasEnded, kinds, cost: end.result.costUsd }
  })
}

describe('a recording of claude that stays up', () => {
  it('is read turn by turn, with the usage and cost of each turn alone', () => {
    expect(readTurns('warm')).toMatchInlineSnapshot(`
      [
        {
          "cost": 0.00213,
          "error": undefined,
          "events": "init, 4 message, token_usage",
          "hasEnded": true,
          "kinds": [
            "answer",
          ],
          "text": "Hello from the fake model.",
          "usage": "400 50 600 0",
        },
        {
          "cost": 0.00426,
          "error": undefined,
          "events": "init, 2 message, tool_use, tool_result, 2 message, token_usage",
          "hasEnded": true,
          "kinds": [],
          "text": "The command printed its output.",
          "usage": "800 100 1200 0",
        },
        {
          "cost": 0.00426,
          "error": undefined,
          "events": "init, tool_use, tool_result, message, token_usage",
          "hasEnded": true,
          "kinds": [
            "ask",
          ],
          "text": "Done writing.",
          "usage": "800 100 1200 0",
        },
        {
          "cost": undefined,
          "error": "agent_auth_failed",
          "events": "init, progress",
          "hasEnded": true,
          "kinds": [],
          "text": "",
          "usage": "0 0 0 0",
        },
        {
          "cost": 0.00213,
          "error": undefined,
          "events": "init, thinking, 2 message, token_usage",
          "hasEnded": true,
          "kinds": [],
          "text": "Thought about it.",
          "usage": "400 50 600 0",
        },
        {
          "cost": undefined,
          "error": "agent_ended_early",
          "events": "init, 9 message",
          "hasEnded": true,
          "kinds": [
            "answer",
          ],
          "text": "word0 word1 word2 word3 word4 word5 word6 word7 word8 ",
          "usage": "0 0 0 0",
        },
        {
          "cost": 0.00213,
          "error": undefined,
          "events": "init, 4 message, token_usage",
          "hasEnded": true,
          "kinds": [],
          "text": "Hello from the fake model.",
          "usage": "400 50 600 0",
        },
      ]
    `)
  })

  it('is read with controls, an interruption and a queued message', () => {
    expect(readTurns('warm-control')).toMatchInlineSnapshot(`
      [
        {
          "cost": 0.00213,
          "error": undefined,
          "events": "init, 4 message, token_usage",
          "hasEnded": true,
          "kinds": [
            "answer",
            "nothing",
          ],
          "text": "Hello from the fake model.",
          "usage": "400 50 600 0",
        },
        {
          "cost": undefined,
          "error": "agent_ended_early",
          "events": "init, 6 message",
          "hasEnded": true,
          "kinds": [
            "answer",
            "nothing",
            "foreign",
          ],
          "text": "word0 word1 word2 word3 word4 word5 ",
          "usage": "0 0 0 0",
        },
        {
          "cost": 0.00355,
          "error": undefined,
          "events": "init, 4 message, token_usage",
          "hasEnded": true,
          "kinds": [
            "nothing",
          ],
          "text": "Hello from the fake model.",
          "usage": "400 50 600 0",
        },
        {
          "cost": 0.00355,
          "error": "agent_ended_early",
          "events": "init, tool_use, tool_result, token_usage",
          "hasEnded": true,
          "kinds": [
            "nothing",
            "answer",
          ],
          "text": "",
          "usage": "400 50 600 0",
        },
      ]
    `)
  })
})

const INIT = { type: 'system', subtype: 'init' }
const REPEATED = { type: 'user', uuid: 'm1', isReplay: true }
const RESULT = { type: 'result', result: 'ours' }

describe('ClaudeTurnFrames', () => {
  it.each<[string, JsonRecord[], string[]]>([
    ['its own result', [INIT, REPEATED, RESULT], ['turn', 'nothing', 'turn']],
    ['a result from before it began', [RESULT, INIT, REPEATED, RESULT], ['foreign', 'turn', 'nothing', 'turn']],
    [
      'the result of another message',
      [INIT, RESULT, INIT, REPEATED, RESULT],
      ['turn', 'foreign', 'turn', 'nothing', 'turn'],
    ],
    ['an answer from before it began', [{ type: 'assistant' }, INIT], ['foreign', 'turn']],
    ['a notice from before it began', [{ type: 'system', subtype: 'status' }, INIT], ['nothing', 'turn']],
    ['another repeated message', [INIT, { type: 'user', uuid: 'm0' }, RESULT], ['turn', 'turn', 'foreign']],
    ['an answer to a request', [{ type: 'control_response', response: { request_id: 'r' } }], ['answer']],
    ['an answer without an id', [{ type: 'control_response' }], ['nothing']],
    ['a question', [{ type: 'control_request', request_id: 'q', request: { subtype: 'can_use_tool' } }], ['ask']],
    ['another request', [{ type: 'control_request', request_id: 'q', request: { subtype: 'hook' } }], ['request']],
    ['a request that was withdrawn', [{ type: 'control_cancel_request', request_id: 'q' }], ['nothing']],
  ])('reads %s', (_name, frames, kinds) => {
    const turn = new ClaudeTurnFrames('m1', undefined)
    expect(frames.map((frame) => turn.read(frame).kind)).toEqual(kinds)
  })

  it('does not count what the result of another turn has added to the sums', () => {
    const turn = new ClaudeTurnFrames('m1', { ...RESULT, total_cost_usd: 1 })
    const frames = [{ ...RESULT, total_cost_usd: 3 }, INIT, REPEATED, { ...RESULT, total_cost_usd: 3.25 }]
    expect(frames.map((frame) => turn.read(frame)).at(-1)).toMatchObject({ frame: { total_cost_usd: 0.25 } })
  })
})

describe('a question of claude', () => {
  const { frame } = readFrameRecording('claude', 'warm').find(
    ({ frame }) => frame['type'] === 'control_request' && objectAt(frame, 'request')?.['subtype'] === 'can_use_tool',
  ) ?? { frame: {} }
  const request = objectAt(frame, 'request') ?? {}

  it('names the tool, its command and the choices', () => {
    expect(toApprovalRequest(request)).toEqual({
      tool_name: 'Bash',
      tool_id: expect.stringMatching(/^toolu_/),
      command: expect.stringContaining('echo data > written-by-tool.txt'),
      input: expect.objectContaining({ description: 'Run a command' }),
      reason: 'Run a command',
      choices: ['allow', 'allow_session', 'deny'],
    })
  })

  it('shows an edit as a diff', () => {
    const input = { file_path: '/w/a.ts', old_string: 'one\ntwo', new_string: 'three' }
    expect(toApprovalRequest({ tool_name: 'Edit', input })).toMatchObject({
      diff: '--- /w/a.ts\n-one\n-two\n+three',
      choices: ['allow', 'deny'],
    })
    expect(toApprovalRequest({ tool_name: 'Write', input: { file_path: 'b', content: 'x' } }).diff).toBe('--- b\n+x')
  })

  it('is answered with the input that it named, for this session with its own suggestions', () => {
    expect(toPermissionAnswer(request, { decision: 'allow' })).toEqual({
      behavior: 'allow',
      updatedInput: request['input'],
    })
    const { updatedPermissions } = toPermissionAnswer(request, { decision: 'allow_session' })
    expect(updatedPermissions).toEqual([expect.objectContaining({ type: 'addRules', destination: 'session' })])
  })

  it('is denied with a reason', () => {
    expect(toPermissionAnswer(request, { decision: 'deny', message: 'not now' })).toEqual({
      behavior: 'deny',
      message: 'not now',
    })
  })
})

describe('messages in the middle of a turn', () => {
  const init = { type: 'system', subtype: 'init' }
  const result = (cost: number) => ({
    type: 'result',
    num_turns: 1,
    total_cost_usd: cost,
    usage: { input_tokens: 2, output_tokens: 1, service_tier: 'standard' },
    permission_denials: [{ tool_name: `Tool ${cost}` }],
  })

  it('keep the turn open until claude has answered them, and all results count', () => {
    const turn = new ClaudeTurnFrames('first', { total_cost_usd: 1 })
    const kinds = [init, { type: 'user', uuid: 'first' }].map((frame) => turn.read(frame).kind)
    turn.expect('second')
    turn.expect('third')
    kinds.push(turn.read({ type: 'user', uuid: 'second' }).kind, turn.read(result(3)).kind, turn.read(init).kind)
    kinds.push(turn.read({ type: 'user', uuid: 'third' }).kind)
    expect(kinds).toEqual(['turn', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'])
    expect(turn.read(result(7))).toEqual({
      kind: 'turn',
      frame: {
        ...{ type: 'result', num_turns: 2, total_cost_usd: 6, modelUsage: {} },
        usage: {
          ...{ input_tokens: 4, output_tokens: 2, service_tier: 'standard' },
          ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
        },
        permission_denials: [{ tool_name: 'Tool 3' }, { tool_name: 'Tool 7' }],
      },
    })
  })

  it('do not keep a turn open that is canceled', () => {
    const turn = new ClaudeTurnFrames('first', undefined)
    for (const frame of [init, { type: 'user', uuid: 'first' }]) turn.read(frame)
    expect(turn.dropExpected()).toBe(false)
    turn.expect('second')
    expect(turn.dropExpected()).toBe(true)
    expect(turn.read(result(1))).toEqual({ kind: 'turn', frame: result(1) })
  })
})

describe('a question of claude', () => {
  const options = [{ label: 'SQLite', description: 'one file' }, { label: 'PostgreSQL' }]
  const input = {
    questions: [
      { question: 'Which store?', header: 'Store', options, multiSelect: false },
      { question: 'Which systems?', header: 'Systems', options, multiSelect: true },
    ],
  }
  const request = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input, tool_use_id: 't1' }

  it('has its options, and takes any text', () => {
    expect(toApprovalRequest({ ...request, permission_suggestions: [{ type: 'addRules' }] })).toEqual({
      tool_name: 'AskUserQuestion',
      tool_id: 't1',
      input,
      questions: [
        { text: 'Which store?', options, takes_text: true },
        { text: 'Which systems?', options, takes_text: true, takes_several: true },
      ],
      choices: ['allow', 'deny'],
    })
    expect(toApprovalRequest({ ...request, tool_name: 'Bash' })).not.toHaveProperty('questions')
  })

  it('is answered by its text', () => {
    const answers = [['DuckDB'], ['SQLite', 'PostgreSQL']]
    expect(toPermissionAnswer(request, { decision: 'allow', answers })).toEqual({
      behavior: 'allow',
      updatedInput: { ...input, answers: { 'Which store?': 'DuckDB', 'Which systems?': 'SQLite, PostgreSQL' } },
    })
    expect(toPermissionAnswer(request, { decision: 'deny' })).toEqual({ behavior: 'deny', message: NO_ANSWER })
    expect(toPermissionAnswer(request, { decision: 'deny', message: 'later' })).toMatchObject({ message: 'later' })
  })
})
