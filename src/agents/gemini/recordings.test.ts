/** What gemini really printed: one row for each recording in test/recordings/gemini. */
import { describe, expect, it } from 'vitest'
import { outlineRecording, recordingNames } from '../../../test/support/replay-recording.ts'
import { gemini } from './agent.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const HELLO = 'Hello from the fake model.'
const THOUGHT = 'Thought about it.'
const DONE = 'Done writing.'
const PRINTED = 'The command printed its output.'
const BAD_FLAG = ['agent_bad_flag', 'Unknown arguments: such-flag, suchFlag'] as const
const AUTH = ['agent_auth_failed', '401 UNAUTHENTICATED: fake 401'] as const
const OVERLOADED = ['agent_service_failed', '500 INTERNAL: fake 500'] as const
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
  ['cut.json', '', '', FREE, '6c897eaf-4e15-4862-a93c-0880ad72ce12', ['agent_unreachable', 'terminated']],
  [
    'cut.stream-json',
    'init, message',
    'partial ',
    FREE,
    'b0ebb7a7-7243-41a9-b34d-5338d97e5873',
    ['agent_unreachable', '[API Error: terminated]'],
  ],
  ['cut.text', 'message', 'partial ', FREE, NONE, ['agent_unreachable', 'TypeError: terminated']],
  ['e401.json', '', '', FREE, '4e9d782b-0ba6-4690-bd8b-4ec2595fdea7', AUTH],
  ['e401.stream-json', 'init', '', FREE, '78b59075-ea2d-4cf0-b509-874f6a87d3ac', AUTH],
  [
    'e401.text',
    '',
    '',
    FREE,
    NONE,
    ['agent_auth_failed', '_ApiError: {"error":{"code":401,"message":"fake 401","status":"UNAUTHENTICATED"}}'],
  ],
  ['e429.json', '', '', FREE, 'cc0ff78f-f944-4784-b88a-7d9ccba10797', ['agent_rate_limited', 'fake 429']],
  [
    'e429.stream-json',
    'init',
    '',
    FREE,
    'c9413917-c718-4955-9ec0-c6f232d8cffe',
    [
      'agent_rate_limited',
      '[API Error: fake 429]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method',
    ],
  ],
  ['e429.text', '', '', FREE, NONE, ['agent_rate_limited', 'RetryableQuotaError: fake 429']],
  ['e500.json', '', '', FREE, 'd496e4dd-a08b-4fbc-8c81-7860a944fa65', OVERLOADED],
  ['e500.stream-json', 'init', '', FREE, 'd5ffce2d-54a8-4591-bc3f-b58baea5d7b2', OVERLOADED],
  [
    'e500.text',
    '',
    '',
    FREE,
    NONE,
    ['agent_service_failed', '_ApiError: {"error":{"code":500,"message":"fake 500","status":"INTERNAL"}}'],
  ],
  ['max-turns.json', '', '', FREE, 'fc4af3f3-803a-4140-a46d-a8d6b972e4c8', MAX_TURNS],
  [
    'max-turns.stream-json',
    'init, tool_use, tool_result, tool_use, tool_result, token_usage',
    '',
    '2000 100 1200 14',
    'baf80a04-1cef-4703-941a-389d28e6a140',
    MAX_TURNS,
  ],
  ['max-turns.text', '', '', FREE, NONE, MAX_TURNS],
  ['plain.json', 'message, token_usage', HELLO, '1000 50 600 7', 'ae046d03-4148-462a-ab4e-e3a9e2c2b3f5', SUCCESS],
  [
    'plain.stream-json',
    'init, 4 message, token_usage',
    HELLO,
    '1000 50 600 7',
    'f04a5809-58f4-41c0-81b7-276a4312d0cf',
    SUCCESS,
  ],
  ['plain.text', 'message', HELLO, FREE, NONE, SUCCESS],
  ['resume-1.json', 'message, token_usage', HELLO, '1000 50 600 7', '96839736-fb48-49c0-b2e9-a23c5b0ecc45', SUCCESS],
  [
    'resume-1.stream-json',
    'init, 4 message, token_usage',
    HELLO,
    '1000 50 600 7',
    '5b5f21cb-180d-4c2d-bc7c-055d5cbaa0ee',
    SUCCESS,
  ],
  ['resume-1.text', 'message', HELLO, FREE, NONE, SUCCESS],
  ['resume-2.json', 'message, token_usage', HELLO, '1000 50 600 7', '96839736-fb48-49c0-b2e9-a23c5b0ecc45', SUCCESS],
  [
    'resume-2.stream-json',
    'init, 4 message, token_usage',
    HELLO,
    '1000 50 600 7',
    '5b5f21cb-180d-4c2d-bc7c-055d5cbaa0ee',
    SUCCESS,
  ],
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
    '0d8604ee-6afe-444a-bd1f-29a3ff4206a8',
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
    '2f47b421-b8a7-4e08-acf3-63e276761662',
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
  ['thinking.json', 'message, token_usage', THOUGHT, '1000 50 600 7', '141da7b2-6bdf-4817-a0ed-ea18ed276df4', SUCCESS],
  [
    'thinking.stream-json',
    'init, 2 message, token_usage',
    THOUGHT,
    '1000 50 600 7',
    'ade634bd-c519-48df-ae38-db1b85683d08',
    SUCCESS,
  ],
  ['thinking.text', 'message', THOUGHT, FREE, NONE, SUCCESS],
  [
    'tool-denied.json',
    'message, token_usage',
    DONE,
    '2000 100 1200 14',
    '36890e82-709b-4176-9f5e-c893b5ef1cb2',
    SUCCESS,
  ],
  [
    'tool-denied.stream-json',
    'init, tool_use, tool_result, message, token_usage',
    DONE,
    '2000 100 1200 14',
    'a5ef6122-4097-41ca-9706-e2339fb847e7',
    SUCCESS,
  ],
  ['tool-denied.text', 'message', DONE, FREE, NONE, SUCCESS],
  ['tool.json', 'message, token_usage', PRINTED, '2000 100 1200 14', '8be9596e-b217-411a-923f-5088d0c3d7d3', SUCCESS],
  [
    'tool.stream-json',
    'init, 2 message, tool_use, tool_result, 2 message, token_usage',
    PRINTED,
    '2000 100 1200 14',
    '32608ea4-a935-4c9d-881f-78e38898ae44',
    SUCCESS,
  ],
  ['tool.text', 'message', 'I will run a command.\nThe command printed its output.', FREE, NONE, SUCCESS],
]

describe('the recordings of gemini', () => {
  it('are all in the table', () => {
    expect(ROWS.map(([recording]) => recording)).toEqual(recordingNames('gemini'))
  })

  it.each(ROWS)('%s is read as in the table', (recording, types, text, usage, session, error) => {
    // Every format that tells of the start names the model.
    const model = types.startsWith('init') ? 'gemini-2.5-pro' : NONE
    const outline = { events: types, text, usage, session, turns: NONE, model, error }
    expect(outlineRecording(gemini, recording)).toEqual(outline)
  })
})
