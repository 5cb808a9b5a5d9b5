/** What `codex app-server` really said: one row for each turn in test/recordings/codex. */
import { describe, expect, it } from 'vitest'
import type { OutputResult } from '../../../../src/agents/adapter/agent.ts'
import { outline } from '../../../support/replay-recording.ts'
import type { FollowedTurn } from '../followed-turn.ts'
import { frameRecordingNames, linesSince, promptsIn, readFrames, replayTurn } from '../replay-frames.ts'
import { CodexThreadOutput } from './thread-output.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const ONE_REQUEST = '1000 50 600 7'
const TWO_REQUESTS = '2000 100 1200 14'
const HELLO = 'Hello from the fake model.'
const INTERRUPTED = ['agent_ended_early', 'codex was interrupted'] as const
const PLAIN = 'init, progress, 4 message, token_usage'
const APPROVAL = 'init, progress, tool_use, progress, tool_result, message, token_usage'

const WARM = '01a1dca9-47e6-7673-a1dd-538a6af15ec3'
const WARM_2 = '01a1dca9-55d2-7b32-9c0f-1fc15787816d'
const ASKING = '01a1dcbc-deab-7f32-b5d1-6f21fe34fd59'
const EPHEMERAL = '01a1dcbc-e505-7b52-b752-edbcafa34fd4'
const FAILING = '01a1dd86-7e60-7d11-8435-77583b79b899'
const MISSING = '1dbb7b89-71e7-43f5-b69e-dd110ce40504'

/** The prompt that follows an opening which fails. */
const UNSENT = 'unsent'

type Row = readonly [
  prompt: FollowedTurn['prompt'],
  openings: FollowedTurn['openings'],
  session: string | undefined,
  events: string,
  text: string,
  usage: string,
  error: readonly [code: string, message: string] | undefined,
]

const TURNS: readonly (readonly [recording: string, rows: readonly Row[]])[] = [
  [
    'warm',
    [
      [12, [11], WARM, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
      [
        13,
        [],
        WARM,
        'init, progress, 2 message, tool_use, tool_result, 2 message, token_usage',
        'The command printed its output.',
        TWO_REQUESTS,
        SUCCESS,
      ],
      [
        14,
        [],
        WARM,
        'init, progress, tool_use, tool_result, message, token_usage',
        'Done writing.',
        TWO_REQUESTS,
        SUCCESS,
      ],
      [
        15,
        [],
        WARM,
        'init, 2 progress',
        '',
        FREE,
        [
          'agent_auth_failed',
          'unexpected status 401 Unauthorized: fake 401, url: http://127.0.0.1:18998/plain~warm/v1/responses, request id: req_fake000129',
        ],
      ],
      [16, [], WARM, 'init, progress, thinking, 2 message, token_usage', 'Thought about it.', ONE_REQUEST, SUCCESS],
      [
        17,
        [],
        WARM,
        'init, progress, 9 message',
        'word0 word1 word2 word3 word4 word5 word6 word7 word8 ',
        FREE,
        INTERRUPTED,
      ],
      [19, [], WARM, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
      [21, [20], WARM_2, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
    ],
  ],
  [
    'warm-approval',
    [
      [12, [11], ASKING, APPROVAL, 'Escalation answered.', TWO_REQUESTS, SUCCESS],
      [13, [], ASKING, APPROVAL, 'Escalation answered.', TWO_REQUESTS, SUCCESS],
    ],
  ],
  [
    'warm-errors',
    [
      [UNSENT, [2], NONE, '', '', FREE, ['agent_session_missing', `no rollout found for thread id ${MISSING}`]],
      [3, [], MISSING, '', '', FREE, ['agent_session_missing', `thread not found: ${MISSING}`]],
      [
        5,
        [4],
        FAILING,
        'init, progress, 2 message',
        'partial then ',
        FREE,
        [
          'agent_unreachable',
          'stream disconnected before completion: Transport error: network error: error decoding response body',
        ],
      ],
      [
        6,
        [],
        FAILING,
        'init, progress',
        '',
        FREE,
        ['agent_rate_limited', 'exceeded retry limit, last status: 429 Too Many Requests, request id: req_fake000003'],
      ],
      [
        7,
        [],
        FAILING,
        'init, progress',
        '',
        FREE,
        ['agent_service_failed', 'We’re currently experiencing high demand, which may cause temporary errors.'],
      ],
      [
        8,
        [],
        FAILING,
        'init, progress',
        '',
        FREE,
        [
          'agent_auth_failed',
          'unexpected status 403 Forbidden: fake 403, url: http://127.0.0.1:39707/plain/v1/responses, request id: req_fake000005',
        ],
      ],
      [
        9,
        [],
        FAILING,
        'init, progress',
        '',
        FREE,
        ['agent_failed', '{"error":{"message":"fake 400","type":"api_error","param":null,"code":null}}'],
      ],
      [
        10,
        [],
        FAILING,
        'init, progress, tool_use, tool_result, message, token_usage',
        'It failed with 3.',
        TWO_REQUESTS,
        SUCCESS,
      ],
      [11, [], FAILING, 'init, progress, token_usage', '', ONE_REQUEST, SUCCESS],
    ],
  ],
  [
    'warm-two-threads',
    [
      // The thread of `warm-approval`, resumed by another process.
      [11, [77], ASKING, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
      [79, [], ASKING, 'init, progress, tool_use, token_usage', '', ONE_REQUEST, INTERRUPTED],
      [80, [78], EPHEMERAL, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
    ],
  ],
]

describe('the recordings of a long-lived codex', () => {
  it('are all in the table, with all their turns', () => {
    expect(TURNS.map(([recording]) => recording)).toEqual(frameRecordingNames('codex'))
    for (const [recording, rows] of TURNS) {
      const prompts = rows.map(([prompt]) => prompt).filter((prompt) => prompt !== UNSENT)
      expect(prompts).toEqual(promptsIn(readFrames('codex', recording), 'turn/start'))
    }
  })

  it.each(TURNS)('%s is read turn by turn as in the table', (recording, rows) => {
    const frames = readFrames('codex', recording)
    /** What whoever asks codex keeps of a thread between its turns. */
    const threads = new Map<string, OutputResult>()
    for (const [prompt, openings, session, events, text, usage, error] of rows) {
      const known = openings.length === 0 ? threads.get(session ?? '') : undefined
      const turn = {
        openings,
        prompt,
        ...(openings.length === 0 && session !== undefined && { sessionId: session }),
        ...(known?.model !== undefined && { model: known.model }),
      }
      const result = replayTurn(new CodexThreadOutput(turn, known?.threadUsage), linesSince(frames, turn))
      const model = error?.[0] === 'agent_session_missing' ? NONE : 'gpt-5.5'
      expect(outline(result)).toEqual({ events, text, usage, session, turns: NONE, model, error })
      expect(result.hasEnded).toBe(true)
      if (session !== undefined) threads.set(session, result.result)
    }
  })
})
