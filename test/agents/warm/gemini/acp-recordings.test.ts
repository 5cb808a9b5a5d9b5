/** What `gemini --acp` really said: one row for each turn in test/recordings/gemini. */
import { describe, expect, it } from 'vitest'
import { outline } from '../../../support/replay-recording.ts'
import type { FollowedTurn } from '../followed-turn.ts'
import { frameRecordingNames, linesSince, promptsIn, readFrames, replayTurn } from '../replay-frames.ts'
import { GeminiAcpOutput } from './acp-output.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const ONE_REQUEST = '1000 50 0 0'
const TWO_REQUESTS = '2000 100 0 0'
const HELLO = 'Hello from the fake model.'
const PRINTED = 'The command printed its output.'
const DONE = 'Done writing.'
const INTERRUPTED = ['agent_ended_early', 'gemini was interrupted'] as const
const PLAIN = 'init, 4 message, token_usage'
const APPROVED = 'init, tool_use, progress, tool_result, message, token_usage'

const WARM = '99266926-84a3-4151-a6f6-4f0bfbe90817'
const WARM_2 = '08f2e3c4-2b91-42a7-bfaf-b896913c136c'
const FAILING = '987db27b-cdb3-4c54-9e44-0ccec2dafc2c'
const MODES = '11301fe6-d5ed-4ed6-931e-77c3c5c4f2ca'
const MODES_2 = '12daf9ab-fef6-41b3-903e-efe8e63b6e2c'
const MISSING = '11111111-1111-4111-8111-111111111111'

/** The prompt that follows an opening which fails. */
const UNSENT = 'unsent'

type Row = readonly [
  turn: FollowedTurn,
  session: string,
  model: string | undefined,
  events: string,
  text: string,
  usage: string,
  error: readonly [code: string, message: string] | undefined,
]

const opens = (opening: number, prompt: number): FollowedTurn => ({ openings: [opening], prompt })
const goesOn = (sessionId: string, prompt: number): FollowedTurn => ({ sessionId, openings: [], prompt })
/** Told when the session is made, and with the counts at the end of a turn. */
const PRO = 'gemini-2.5-pro'

const TURNS: readonly (readonly [recording: string, rows: readonly Row[]])[] = [
  [
    'warm',
    [
      [opens(11, 12), WARM, PRO, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
      [
        goesOn(WARM, 13),
        WARM,
        PRO,
        'init, 2 message, tool_use, progress, tool_result, 2 message, token_usage',
        PRINTED,
        TWO_REQUESTS,
        SUCCESS,
      ],
      [goesOn(WARM, 14), WARM, PRO, APPROVED, DONE, TWO_REQUESTS, SUCCESS],
      [goesOn(WARM, 15), WARM, NONE, '', '', FREE, ['agent_auth_failed', '401 UNAUTHENTICATED: fake 401']],
      [
        goesOn(WARM, 16),
        WARM,
        PRO,
        'init, thinking, 2 message, token_usage',
        'Thought about it.',
        ONE_REQUEST,
        SUCCESS,
      ],
      [
        goesOn(WARM, 17),
        WARM,
        NONE,
        'init, 9 message',
        'word0 word1 word2 word3 word4 word5 word6 word7 word8 ',
        FREE,
        INTERRUPTED,
      ],
      [goesOn(WARM, 18), WARM, PRO, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
      [opens(19, 20), WARM_2, PRO, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
    ],
  ],
  [
    'warm-errors',
    [
      [opens(2, 3), FAILING, PRO, 'init, message', 'partial ', FREE, ['agent_unreachable', 'terminated']],
      [goesOn(FAILING, 4), FAILING, NONE, '', '', FREE, ['agent_rate_limited', 'fake 429']],
      [goesOn(FAILING, 5), FAILING, NONE, '', '', FREE, ['agent_service_failed', '500 INTERNAL: fake 500']],
      [
        goesOn(FAILING, 6),
        FAILING,
        PRO,
        'init, token_usage',
        '',
        ONE_REQUEST,
        ['agent_failed', 'gemini ended the turn without an answer'],
      ],
      // A tool that was not allowed has no result.
      [
        goesOn(FAILING, 7),
        FAILING,
        PRO,
        'init, 2 message, tool_use, progress, 2 message, token_usage',
        PRINTED,
        TWO_REQUESTS,
        SUCCESS,
      ],
      [goesOn(FAILING, 8), FAILING, PRO, APPROVED, 'It failed with 3.', TWO_REQUESTS, SUCCESS],
      [
        { sessionId: FAILING, openings: [9], prompt: 10 },
        FAILING,
        PRO,
        'init, tool_use, tool_result, tool_use, tool_result, tool_use, tool_result, token_usage',
        '',
        '3000 150 0 0',
        ['agent_max_turns', 'gemini used up its turns, or repeated itself'],
      ],
      [goesOn(MISSING, 11), MISSING, NONE, '', '', FREE, ['agent_session_missing', `Session not found: ${MISSING}`]],
    ],
  ],
  [
    'warm-load',
    [
      [
        { sessionId: MODES_2, openings: [90], prompt: UNSENT },
        MODES_2,
        NONE,
        '',
        '',
        FREE,
        ['agent_session_missing', `Invalid session identifier "${MODES_2}".`],
      ],
    ],
  ],
  [
    'warm-modes',
    [
      [
        { openings: [11, 50], prompt: 12 },
        MODES,
        PRO,
        'init, tool_use, tool_result, message, token_usage',
        DONE,
        TWO_REQUESTS,
        SUCCESS,
      ],
      [goesOn(MODES, 60), MODES, NONE, 'init, tool_use, tool_result', '', FREE, INTERRUPTED],
      [opens(13, 14), MODES_2, PRO, PLAIN, HELLO, ONE_REQUEST, SUCCESS],
    ],
  ],
]

describe('the recordings of a long-lived gemini', () => {
  it('are all in the table, with all their turns', () => {
    expect(TURNS.map(([recording]) => recording)).toEqual(frameRecordingNames('gemini'))
    for (const [recording, rows] of TURNS) {
      const prompts = rows.map(([{ prompt }]) => prompt).filter((prompt) => prompt !== UNSENT)
      expect(prompts).toEqual(promptsIn(readFrames('gemini', recording), 'session/prompt'))
    }
  })

  it.each(TURNS)('%s is read turn by turn as in the table', (recording, rows) => {
    const frames = readFrames('gemini', recording)
    for (const [turn, session, model, events, text, usage, error] of rows) {
      const result = replayTurn(new GeminiAcpOutput(turn), linesSince(frames, turn))
      expect(outline(result)).toEqual({ events, text, usage, session, turns: NONE, model, error })
      expect(result.hasEnded).toBe(true)
    }
  })
})
