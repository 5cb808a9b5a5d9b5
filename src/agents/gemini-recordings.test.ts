/** What gemini really printed: one row for each recording in test/recordings/gemini. */
import { describe, expect, it } from 'vitest'
import { outlineRecording, recordingNames } from '../../test/support/replay-recording.ts'
import { gemini } from './gemini.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const HELLO = 'Hello from the fake model.'
const THOUGHT = 'Thought about it.'
const DONE = 'Done writing.'
const PRINTED = 'The command printed its output.'
const BAD_FLAG = ['agent_bad_flag', 'Unknown arguments: such-flag, suchFlag'] as const
const AUTH = ['agent_auth_failed', '401 UNAUTHENTICATED: fake 401'] as const
const OVERLOADED = ['agent_overloaded', '500 INTERNAL: fake 500'] as const
const MAX_TURNS = [
  'agent_max_turns',
  'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.',
] as const
const EARLY = ['agent_ended_early', 'gemini ended before it had finished its answer (exit code 0)'] as const

type Row = readonly [
  recording: string,
  events: string,
  text: string,
  usage: string,
  session: string | undefined,
  error: readonly [code: string, message: string] | undefined,
]

const ROWS: readonly Row[] = [
  ['badflag.json', '', '', FREE, NONE, BAD_FLAG],
  ['badflag.stream-json', '', '', FREE, NONE, BAD_FLAG],
  ['badflag.text', '', '', FREE, NONE, BAD_FLAG],
  ['cut.json', '', '', FREE, '6c897eaf-4e15', ['agent_unreachable', 'terminated']],
  [
    'cut.stream-json',
    'init, message',
    'partial ',
    FREE,
    'b0ebb7a7-7243',
    ['agent_unreachable', '[API Error: terminated]'],
  ],
  ['cut.text', 'message', 'partial ', FREE, NONE, ['agent_unreachable', 'TypeError: terminated']],
  ['e401.json', '', '', FREE, '4e9d782b-0ba6', AUTH],
  ['e401.stream-json', 'init', '', FREE, '78b59075-ea2d', AUTH],
  [
    'e401.text',
    '',
    '',
    FREE,
    NONE,
    ['agent_auth_failed', '_ApiError: {"error":{"code":401,"message":"fake 401","status":"UNAUTHENTICATED"}}'],
  ],
  ['e429.json', '', '', FREE, 'cc0ff78f-f944', ['agent_rate_limited', 'fake 429']],
  [
    'e429.stream-json',
    'init',
    '',
    FREE,
    'c9413917-c718',
    [
      'agent_rate_limited',
      '[API Error: fake 429]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
    ],
  ],
  ['e429.text', '', '', FREE, NONE, ['agent_rate_limited', 'RetryableQuotaError: fake 429']],
  ['e500.json', '', '', FREE, 'd496e4dd-a08b', OVERLOADED],
  ['e500.stream-json', 'init', '', FREE, 'd5ffce2d-54a8', OVERLOADED],
  [
    'e500.text',
    '',
    '',
    FREE,
    NONE,
    ['agent_overloaded', '_ApiError: {"error":{"code":500,"message":"fake 500","status":"INTERNAL"}}'],
  ],
  ['max-turns.json', '', '', FREE, 'fc4af3f3-803a', MAX_TURNS],
  [
    'max-turns.stream-json',
    'init, tool_use, tool_result, tool_use, tool_result, token_usage',
    '',
    '2000 100 1200 14',
    'baf80a04-1cef',
    MAX_TURNS,
  ],
  ['max-turns.text', '', '', FREE, NONE, MAX_TURNS],
  ['plain.json', 'message, token_usage', HELLO, '1000 50 600 7', 'ae046d03-4148', SUCCESS],
  ['plain.stream-json', 'init, 4 message, token_usage', HELLO, '1000 50 600 7', 'f04a5809-58f4', SUCCESS],
  ['plain.text', 'message', HELLO, FREE, NONE, SUCCESS],
  ['resume-1.json', 'message, token_usage', HELLO, '1000 50 600 7', '96839736-fb48', SUCCESS],
  ['resume-1.stream-json', 'init, 4 message, token_usage', HELLO, '1000 50 600 7', '5b5f21cb-180d', SUCCESS],
  ['resume-1.text', 'message', HELLO, FREE, NONE, SUCCESS],
  ['resume-2.json', 'message, token_usage', HELLO, '1000 50 600 7', '96839736-fb48', SUCCESS],
  ['resume-2.stream-json', 'init, 4 message, token_usage', HELLO, '1000 50 600 7', '5b5f21cb-180d', SUCCESS],
  ['resume-2.text', 'message', HELLO, FREE, NONE, SUCCESS],
  [
    'resume-missing.json',
    '',
    '',
    FREE,
    NONE,
    [
      'agent_session_missing',
      'Error resuming session: Invalid session identifier "3010ebb6-2d05-4acc-a01e-2cd4ff077372".',
    ],
  ],
  [
    'resume-missing.stream-json',
    '',
    '',
    FREE,
    NONE,
    [
      'agent_session_missing',
      'Error resuming session: Invalid session identifier "cb9dd7b3-2b85-4b8b-a2cf-1870017e1abb".',
    ],
  ],
  [
    'resume-missing.text',
    '',
    '',
    FREE,
    NONE,
    [
      'agent_session_missing',
      'Error resuming session: Invalid session identifier "0139043d-0af3-47ce-9c80-fed4aac53789".',
    ],
  ],
  ['sigint.json', '', '', FREE, NONE, EARLY],
  [
    'sigint.stream-json',
    'init, 18 message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 ',
    FREE,
    '0d8604ee-6afe',
    EARLY,
  ],
  [
    'sigint.text',
    'message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 ',
    FREE,
    NONE,
    SUCCESS,
  ],
  ['sigterm.json', '', '', FREE, NONE, EARLY],
  [
    'sigterm.stream-json',
    'init, 14 message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 ',
    FREE,
    '2f47b421-b8a7',
    EARLY,
  ],
  [
    'sigterm.text',
    'message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17 word18 ',
    FREE,
    NONE,
    SUCCESS,
  ],
  ['thinking.json', 'message, token_usage', THOUGHT, '1000 50 600 7', '141da7b2-6bdf', SUCCESS],
  ['thinking.stream-json', 'init, 2 message, token_usage', THOUGHT, '1000 50 600 7', 'ade634bd-c519', SUCCESS],
  ['thinking.text', 'message', THOUGHT, FREE, NONE, SUCCESS],
  ['tool-denied.json', 'message, token_usage', DONE, '2000 100 1200 14', '36890e82-709b', SUCCESS],
  [
    'tool-denied.stream-json',
    'init, tool_use, tool_result, message, token_usage',
    DONE,
    '2000 100 1200 14',
    'a5ef6122-4097',
    SUCCESS,
  ],
  ['tool-denied.text', 'message', DONE, FREE, NONE, SUCCESS],
  ['tool.json', 'message, token_usage', PRINTED, '2000 100 1200 14', '8be9596e-b217', SUCCESS],
  [
    'tool.stream-json',
    'init, 2 message, tool_use, tool_result, 2 message, token_usage',
    PRINTED,
    '2000 100 1200 14',
    '32608ea4-a935',
    SUCCESS,
  ],
  ['tool.text', 'message', 'I will run a command.\nThe command printed its output.', FREE, NONE, SUCCESS],
]

describe('the recordings of gemini', () => {
  it('are all in the table', () => {
    expect(ROWS.map(([recording]) => recording)).toEqual(recordingNames('gemini'))
  })

  it.each(ROWS)('%s is understood', (recording, types, text, usage, session, error) => {
    // Every format that tells of the start names the model.
    const model = types.startsWith('init') ? 'gemini-2.5-pro' : NONE
    const outline = { events: types, text, usage, session, turns: NONE, model, error }
    expect(outlineRecording(gemini, recording)).toEqual(outline)
  })
})
