/** What claude really printed: one row for each recording in test/recordings/claude. */
import { describe, expect, it } from 'vitest'
import { outlineRecording, recordingNames } from '../../../test/support/replay-recording.ts'
import { claude } from './agent.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const HELLO = 'Hello from the fake model.'
const THOUGHT = 'Thought about it.'
const DONE = 'Done writing.'
const PRINTED = 'The command printed its output.'
const BAD_FLAG = ['agent_bad_flag', "unknown option '--no-such-flag'"] as const
const UNREACHABLE = ['agent_unreachable', 'API Error: Unable to connect to API (ECONNRESET)'] as const
const AUTH = ['agent_auth_failed', 'Failed to authenticate. API Error: 401 fake 401'] as const
const RATE = ['agent_rate_limited', 'API Error: Request rejected (429) · fake 429'] as const
const OVERLOADED = [
  'agent_service_failed',
  'API Error: 500 fake 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:18999).',
] as const
const MAX_TURNS = ['agent_max_turns', 'Reached maximum number of turns (2)'] as const
const EARLY = ['agent_ended_early', 'claude was interrupted'] as const
const KILLED = ['agent_ended_early', 'claude ended before it had finished its answer (exit code 143)'] as const

type Row = readonly [
  recording: string,
  events: string,
  text: string,
  usage: string,
  session: string | undefined,
  turns: number | undefined,
  error: readonly [code: string, message: string] | undefined,
]

const ROWS: readonly Row[] = [
  ['badflag.json', '', '', FREE, NONE, NONE, BAD_FLAG],
  ['badflag.stream-json', '', '', FREE, NONE, NONE, BAD_FLAG],
  ['badflag.stream-json-partial', '', '', FREE, NONE, NONE, BAD_FLAG],
  ['badflag.text', '', '', FREE, NONE, NONE, BAD_FLAG],
  ['cut.json', '', '', FREE, 'f84479ee-93c3-44d2-aee0-5b7c8acef1db', 1, UNREACHABLE],
  ['cut.stream-json', 'init, progress', '', FREE, '6de356b9-5798-418c-adee-eaabff823119', 1, UNREACHABLE],
  [
    'cut.stream-json-partial',
    'init, 2 message, progress',
    'partial then ',
    FREE,
    '8bd4fe79-d896-45a3-a85a-15ff40dcff75',
    1,
    UNREACHABLE,
  ],
  ['cut.text', 'message', 'API Error: Unable to connect to API (ECONNRESET)', FREE, NONE, NONE, UNREACHABLE],
  ['e401.json', '', '', FREE, '263478b5-5b9f-415f-85cb-39aa83265888', 1, AUTH],
  ['e401.stream-json', 'init, progress', '', FREE, '5236bc20-4fe9-46a0-a609-7516dad1f632', 1, AUTH],
  ['e401.stream-json-partial', 'init, progress', '', FREE, 'f5f284ff-793c-4350-92c3-7938a9aaf814', 1, AUTH],
  ['e401.text', 'message', 'Failed to authenticate. API Error: 401 fake 401', FREE, NONE, NONE, AUTH],
  ['e429.json', '', '', FREE, 'f7e65eac-5f31-47b7-ace2-70d3a8b3504d', 1, RATE],
  ['e429.stream-json', 'init, progress', '', FREE, 'bf625d1b-b0c2-4584-988a-df882638af0e', 1, RATE],
  ['e429.stream-json-partial', 'init, progress', '', FREE, '4e4425a8-4346-4889-8672-a8fadf167c98', 1, RATE],
  ['e429.text', 'message', 'API Error: Request rejected (429) · fake 429', FREE, NONE, NONE, RATE],
  ['e500.json', '', '', FREE, 'b93e35bd-6b08-4422-bae6-702dc4cb83a9', 1, OVERLOADED],
  ['e500.stream-json', 'init, progress', '', FREE, '926640f8-4963-4e71-bd30-b392b947961e', 1, OVERLOADED],
  ['e500.stream-json-partial', 'init, progress', '', FREE, '50ad96bf-c74b-4934-ad39-94ce7448a09b', 1, OVERLOADED],
  [
    'e500.text',
    'message',
    'API Error: 500 fake 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:18999).',
    FREE,
    NONE,
    NONE,
    OVERLOADED,
  ],
  ['max-turns.json', 'token_usage', '', '800 100 1200 0', 'ad76271b-ec11-4d6e-899e-da3e898c799a', 3, MAX_TURNS],
  [
    'max-turns.stream-json',
    'init, tool_use, tool_result, tool_use, tool_result, token_usage',
    '',
    '800 100 1200 0',
    'd17f7c18-7977-4831-94b7-50cd20505fd0',
    3,
    MAX_TURNS,
  ],
  [
    'max-turns.stream-json-partial',
    'init, tool_use, tool_result, tool_use, tool_result, token_usage',
    '',
    '800 100 1200 0',
    'ece78cc2-0ba2-4907-94c6-d229e5ee255a',
    3,
    MAX_TURNS,
  ],
  [
    'max-turns.text',
    'message',
    'Error: Reached max turns (2)',
    FREE,
    NONE,
    NONE,
    ['agent_max_turns', 'Error: Reached max turns (2)'],
  ],
  ['plain.json', 'message, token_usage', HELLO, '400 50 600 0', '67864b76-e99a-43db-a994-02adfd707235', 1, SUCCESS],
  [
    'plain.stream-json',
    'init, message, token_usage',
    HELLO,
    '400 50 600 0',
    'ceab2313-92b2-4ff7-bc9b-d184deb1fd14',
    1,
    SUCCESS,
  ],
  [
    'plain.stream-json-partial',
    'init, 4 message, token_usage',
    HELLO,
    '400 50 600 0',
    '96105c04-a78d-47da-babb-0d76ed4e0002',
    1,
    SUCCESS,
  ],
  ['plain.text', 'message', HELLO, FREE, NONE, NONE, SUCCESS],
  ['resume-1.json', 'message, token_usage', HELLO, '400 50 600 0', '7cef6fa3-3530-4b92-92ec-b1a25632f59e', 1, SUCCESS],
  [
    'resume-1.stream-json',
    'init, message, token_usage',
    HELLO,
    '400 50 600 0',
    '79e193c4-d46f-4e7a-8cea-e69c36c12054',
    1,
    SUCCESS,
  ],
  [
    'resume-1.stream-json-partial',
    'init, 4 message, token_usage',
    HELLO,
    '400 50 600 0',
    '4917e650-0f92-47cf-b9fb-b2c111aaad53',
    1,
    SUCCESS,
  ],
  ['resume-1.text', 'message', HELLO, FREE, NONE, NONE, SUCCESS],
  ['resume-2.json', 'message, token_usage', HELLO, '400 50 600 0', '7cef6fa3-3530-4b92-92ec-b1a25632f59e', 1, SUCCESS],
  [
    'resume-2.stream-json',
    'init, message, token_usage',
    HELLO,
    '400 50 600 0',
    '79e193c4-d46f-4e7a-8cea-e69c36c12054',
    1,
    SUCCESS,
  ],
  [
    'resume-2.stream-json-partial',
    'init, 4 message, token_usage',
    HELLO,
    '400 50 600 0',
    '4917e650-0f92-47cf-b9fb-b2c111aaad53',
    1,
    SUCCESS,
  ],
  ['resume-2.text', 'message', HELLO, FREE, NONE, NONE, SUCCESS],
  [
    'resume-missing.json',
    '',
    '',
    FREE,
    NONE,
    NONE,
    ['agent_session_missing', 'No conversation found with session ID: 7c12d540-b7d7-49f4-be76-1c5f60411293'],
  ],
  [
    'resume-missing.stream-json',
    '',
    '',
    FREE,
    '204a61c9-1829-4948-a9f2-c61b3b3abd77',
    0,
    ['agent_session_missing', 'No conversation found with session ID: 204a61c9-1829-4948-a9f2-c61b3b3abd77'],
  ],
  [
    'resume-missing.stream-json-partial',
    '',
    '',
    FREE,
    '0b051d47-aada-45af-82e2-9b396f0d4a75',
    0,
    ['agent_session_missing', 'No conversation found with session ID: 0b051d47-aada-45af-82e2-9b396f0d4a75'],
  ],
  [
    'resume-missing.text',
    '',
    '',
    FREE,
    NONE,
    NONE,
    ['agent_session_missing', 'No conversation found with session ID: f83b9d97-07ba-4c3b-b84b-cbb20ff0bb97'],
  ],
  ['sigint.json', '', '', FREE, 'ca77c43f-8adf-42f1-996b-38660db1e2c2', 2, EARLY],
  [
    'sigint.stream-json',
    'init, message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 ',
    FREE,
    '79106f49-6c33-4a6c-b4ff-48c84bb12046',
    2,
    EARLY,
  ],
  [
    'sigint.stream-json-partial',
    'init, 8 message',
    'word0 word1 word2 word3 word4 word5 word6 word7 ',
    FREE,
    'a73a6cda-cdc3-46ca-9671-b56dee11bc61',
    NONE,
    ['agent_ended_early', 'claude ended before it had finished its answer (exit code 0)'],
  ],
  ['sigint.text', 'message', 'Execution error', FREE, NONE, NONE, SUCCESS],
  ['sigterm.json', '', '', FREE, NONE, NONE, KILLED],
  ['sigterm.stream-json', 'init', '', FREE, 'ae1e329c-c280-4ebe-99e9-0c4ff66fb386', NONE, KILLED],
  [
    'sigterm.stream-json-partial',
    'init, 11 message',
    'word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 ',
    FREE,
    '9d3ea1dd-6216-4a3c-a739-2ea75df260a4',
    NONE,
    KILLED,
  ],
  ['sigterm.text', '', '', FREE, NONE, NONE, KILLED],
  [
    'thinking.json',
    'message, token_usage',
    THOUGHT,
    '400 50 600 0',
    '78f1a646-30d5-45e3-adc1-cf9732e3cabb',
    1,
    SUCCESS,
  ],
  [
    'thinking.stream-json',
    'init, thinking, message, token_usage',
    THOUGHT,
    '400 50 600 0',
    'c7994796-802e-42bf-9587-fdf62717960c',
    1,
    SUCCESS,
  ],
  [
    'thinking.stream-json-partial',
    'init, thinking, 2 message, token_usage',
    THOUGHT,
    '400 50 600 0',
    'abdf1aeb-7b99-4e72-8c05-b1561d3d009b',
    1,
    SUCCESS,
  ],
  ['thinking.text', 'message', THOUGHT, FREE, NONE, NONE, SUCCESS],
  [
    'tool-denied.json',
    'message, token_usage',
    DONE,
    '800 100 1200 0',
    'f06a3460-74f2-4b13-b93f-2b5176e7fba2',
    2,
    SUCCESS,
  ],
  [
    'tool-denied.stream-json',
    'init, tool_use, tool_result, message, token_usage',
    DONE,
    '800 100 1200 0',
    '2738c3ab-d73a-4e6d-a0bd-d1f704369143',
    2,
    SUCCESS,
  ],
  [
    'tool-denied.stream-json-partial',
    'init, tool_use, tool_result, message, token_usage',
    DONE,
    '800 100 1200 0',
    '417affd3-c395-455d-b91f-4ec1e28615e4',
    2,
    SUCCESS,
  ],
  ['tool-denied.text', 'message', DONE, FREE, NONE, NONE, SUCCESS],
  ['tool.json', 'message, token_usage', PRINTED, '800 100 1200 0', 'b3d6a8b7-e365-496a-8bf1-7e4bd64b3278', 2, SUCCESS],
  [
    'tool.stream-json',
    'init, message, tool_use, tool_result, message, token_usage',
    PRINTED,
    '800 100 1200 0',
    '962852af-6a77-4f7c-aa5b-288a5f9aa31f',
    2,
    SUCCESS,
  ],
  [
    'tool.stream-json-partial',
    'init, 2 message, tool_use, tool_result, 2 message, token_usage',
    PRINTED,
    '800 100 1200 0',
    'd8fc2f59-bb54-424c-94fd-f3e5a956921c',
    2,
    SUCCESS,
  ],
  ['tool.text', 'message', PRINTED, FREE, NONE, NONE, SUCCESS],
]

describe('the recordings of claude', () => {
  it('are all in the table', () => {
    expect(ROWS.map(([recording]) => recording)).toEqual(recordingNames('claude'))
  })

  it.each(ROWS)('%s is read as in the table', (recording, types, text, usage, session, turns, error) => {
    // Every format that tells of the start names the model.
    const model = types.startsWith('init') ? 'claude-sonnet-4-5' : NONE
    const outline = { events: types, text, usage, session, turns, model, error }
    expect(outlineRecording(claude, recording)).toEqual(outline)
  })
})
