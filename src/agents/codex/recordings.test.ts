/** What codex really printed: one row for each recording in test/recordings/codex. */
import { describe, expect, it } from 'vitest'
import { outlineRecording, readRecording, recordingNames, replay } from '../../../test/support/replay-recording.ts'
import { codex } from './agent.ts'

const NONE = undefined
const SUCCESS = undefined
const FREE = '0 0 0 0'
const HELLO = 'Hello from the fake model.'
const THOUGHT = 'Thought about it.'
const DONE = 'Done writing.'
const PRINTED = 'The command printed its output.'
const BAD_FLAG = ['agent_bad_flag', "unexpected argument '--no-such-flag' found"] as const
const UNREACHABLE = [
  'agent_unreachable',
  'stream disconnected before completion: Transport error: network error: error decoding response body',
] as const
const OVERLOADED = [
  'agent_service_failed',
  'We’re currently experiencing high demand, which may cause temporary errors.',
] as const
const KILLED = ['agent_ended_early', 'codex ended before it had finished its answer (ended by SIGTERM)'] as const

type Row = readonly [
  recording: string,
  events: string,
  text: string,
  usage: string,
  session: string | undefined,
  error: readonly [code: string, message: string] | undefined,
]

const ROWS: readonly Row[] = [
  ['badflag.stream-json', '', '', FREE, NONE, BAD_FLAG],
  ['badflag.text', '', '', FREE, NONE, BAD_FLAG],
  ['cut.stream-json', 'init, 2 progress', '', FREE, '01a1dca7-4d78-7280-8680-6802afc58400', UNREACHABLE],
  ['cut.text', '', '', FREE, NONE, UNREACHABLE],
  [
    'e401.stream-json',
    'init, 2 progress',
    '',
    FREE,
    '01a1dca7-42f2-7ed2-b337-0aedaa9b1107',
    [
      'agent_auth_failed',
      'unexpected status 401 Unauthorized: fake 401, url: http://127.0.0.1:18999/e401/v1/responses, request id: req_fake000268',
    ],
  ],
  [
    'e401.text',
    '',
    '',
    FREE,
    NONE,
    [
      'agent_auth_failed',
      'unexpected status 401 Unauthorized: fake 401, url: http://127.0.0.1:18999/e401/v1/responses, request id: req_fake000225',
    ],
  ],
  [
    'e429.stream-json',
    'init, 2 progress',
    '',
    FREE,
    '01a1dca7-44ee-7300-b9ff-7ed61dae08df',
    ['agent_rate_limited', 'exceeded retry limit, last status: 429 Too Many Requests, request id: req_fake000270'],
  ],
  [
    'e429.text',
    '',
    '',
    FREE,
    NONE,
    ['agent_rate_limited', 'exceeded retry limit, last status: 429 Too Many Requests, request id: req_fake000229'],
  ],
  ['e500.stream-json', 'init, 2 progress', '', FREE, '01a1dca7-4a08-7e10-8d43-135cb927f337', OVERLOADED],
  ['e500.text', '', '', FREE, NONE, OVERLOADED],
  [
    'plain.stream-json',
    'init, progress, message, token_usage',
    HELLO,
    '1000 50 600 7',
    '01a1dca7-3c7d-78d0-b87c-a5966b4d41c2',
    SUCCESS,
  ],
  ['plain.text', 'message', HELLO, FREE, NONE, SUCCESS],
  [
    'resume-1.stream-json',
    'init, progress, message, token_usage',
    HELLO,
    '1000 50 600 7',
    '01a1dca7-6fb9-7772-a2b5-94b737ee92dc',
    SUCCESS,
  ],
  ['resume-1.text', 'message', HELLO, FREE, NONE, SUCCESS],
  [
    'resume-2.stream-json',
    'init, progress, message, token_usage',
    HELLO,
    '2000 100 1200 14',
    '01a1dca7-6fb9-7772-a2b5-94b737ee92dc',
    SUCCESS,
  ],
  ['resume-2.text', 'message', HELLO, FREE, NONE, SUCCESS],
  [
    'resume-missing.stream-json',
    '',
    '',
    FREE,
    NONE,
    [
      'agent_session_missing',
      'thread/resume: thread/resume failed: no rollout found for thread id 1dbb7b89-71e7-43f5-b69e-dd110ce40504 (code -32600)',
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
      'thread/resume: thread/resume failed: no rollout found for thread id 3595466b-3d80-443a-9d0b-fdd6220d3952 (code -32600)',
    ],
  ],
  [
    'sigint.stream-json',
    'init, progress',
    '',
    FREE,
    '01a1dca7-5fe5-7cc3-bbf9-fd56ad4b7941',
    ['agent_ended_early', 'codex ended before it had finished its answer (exit code 1)'],
  ],
  ['sigint.text', '', '', FREE, NONE, ['agent_ended_early', 'turn interrupted']],
  ['sigterm.stream-json', 'init, progress', '', FREE, '01a1dca7-4fcc-7c23-bcf3-cc0dad8b6883', KILLED],
  ['sigterm.text', '', '', FREE, NONE, KILLED],
  [
    'thinking.stream-json',
    'init, progress, thinking, message, token_usage',
    THOUGHT,
    '1000 50 600 7',
    '01a1dca7-3dc9-7473-80a6-a5938de4529c',
    SUCCESS,
  ],
  ['thinking.text', 'message', THOUGHT, FREE, NONE, SUCCESS],
  [
    'tool-denied-late.stream-json',
    'init, progress, tool_use, message, token_usage',
    'Command done.',
    '2000 100 1200 14',
    '01a1e9f1-fe3d-7893-a53c-a1c1baa79e83',
    SUCCESS,
  ],
  [
    'tool-denied-unseen.stream-json',
    'init, progress, message, token_usage',
    'Command done.',
    '2000 100 1200 14',
    '01a1e9f2-462a-7db2-b58e-10ba8773ef99',
    SUCCESS,
  ],
  [
    'tool-denied.stream-json',
    'init, progress, tool_use, tool_result, message, token_usage',
    DONE,
    '2000 100 1200 14',
    '01a1dcbd-f225-7253-b9b8-70f6a3665f19',
    SUCCESS,
  ],
  ['tool-denied.text', 'message', DONE, FREE, NONE, SUCCESS],
  [
    'tool.stream-json',
    'init, progress, message, tool_use, tool_result, message, token_usage',
    PRINTED,
    '2000 100 1200 14',
    '01a1dca7-3f4d-71e1-b709-aa83cd1a5aa7',
    SUCCESS,
  ],
  ['tool.text', 'message', PRINTED, FREE, NONE, SUCCESS],
]

describe('the recordings of codex', () => {
  it('are all in the table', () => {
    expect(ROWS.map(([recording]) => recording)).toEqual(recordingNames('codex'))
  })

  it.each(ROWS)('%s is read as in the table', (recording, types, text, usage, session, error) => {
    const outline = { events: types, text, usage, session, turns: NONE, model: NONE, error }
    expect(outlineRecording(codex, recording)).toEqual(outline)
  })

  it.each([
    ['tool-denied', 1],
    // The command ended before codex reported it, or was still running when codex answered. Standard error does not name it.
    ['tool-denied-unseen', 0],
    ['tool-denied-late', 0],
  ])('show in %s that the sandbox denied %i commands', (recording, count) => {
    const { result } = replay(codex, readRecording('codex', `${recording}.stream-json`))
    expect(result.denials ?? []).toHaveLength(count)
  })
})
