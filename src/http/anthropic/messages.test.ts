import { describe, expect, it } from 'vitest'
import {
  asStream,
  bodyOf,
  playStream,
  promptEvent,
  promptResult,
  textPiece,
} from '../../../test/support/play-stream.ts'
import { thrownFault } from '../../../test/support/thrown-fault.ts'
import { chooseBackend } from '../compatible/prompt-target.ts'
import { replyFormat } from '../compatible/reply.ts'
import { checkApiVersion, messageWriter, readMessageRequest } from './messages.ts'

const REQUIRED = { isRequired: true }
const OPTIONAL = { isRequired: false }

describe('checkApiVersion', () => {
  it.each(['2023-06-01', '2023-01-01', '2024-02-29', '9999-12-31'])('accepts %s', (version) => {
    for (const rule of [REQUIRED, OPTIONAL]) expect(() => checkApiVersion(version, rule)).not.toThrow()
  })

  it.each([
    '',
    'latest',
    '2023-6-1',
    '20230601',
    '9999-99-99',
    '2023-02-29',
    '2023-06-00',
    ' 2023-06-01',
    '2023-06-01\n',
    '2023-06-01T00:00:00Z',
    '２０２３-06-01',
  ])('refuses %j, required or not', (version) => {
    for (const rule of [REQUIRED, OPTIONAL]) {
      expect(() => checkApiVersion(version, rule)).toThrow(
        `the anthropic-version header is ${JSON.stringify(version)}, which is not a date; send "anthropic-version: 2023-06-01"`,
      )
    }
  })

  it('refuses a missing version only if it is required', () => {
    expect(() => checkApiVersion(undefined, REQUIRED)).toThrow('the anthropic-version header is required')
    expect(() => checkApiVersion(undefined, OPTIONAL)).not.toThrow()
  })

  it('refuses two versions', () => {
    expect(() => checkApiVersion(['2023-06-01', '2023-06-01'], OPTIONAL)).toThrow('"2023-06-01,2023-06-01"')
  })
})

const MINIMAL = { model: 'claude-opus-4-5', max_tokens: 16, messages: [{ role: 'user', content: 'say hello' }] }

const PLAIN = {
  model: 'claude-opus-4-5',
  prompt: { backend: 'claude', model: 'claude-opus-4-5', prompt: 'say hello', ephemeral: true, dry_run: false },
  isStream: false,
}

/** Without the names of ignored fields. */
const read = (body: unknown) => {
  const { ignored: _, choice: __, ...asked } = readMessageRequest(body, options)
  return asked
}

const choose = (name: string) =>
  chooseBackend(name, { names: ['claude', 'codex', 'gemini'], rules: [], isAlias: () => false })
const options = { choose, target: { storesSession: false }, clientTools: 'refuse' as const }

const ignoredIn = (fields: object) => readMessageRequest({ ...MINIMAL, ...fields }, options).ignored

const faultOf = (body: unknown) => thrownFault(() => read(body))

const ANYTHING = [null, true, 0, -1, 1.5, 64_000, 'x', [], ['a', 5], {}]

describe('readMessageRequest', () => {
  it('leaves out tools, calls and results if the operator says so', () => {
    const messages = [
      { role: 'user', content: 'list the files' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'tool_use', id: 'c', name: 'ls' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'a.txt' }] },
      { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ]
    const body = { ...MINIMAL, messages, tools: [{ name: 'ls' }], mcp_servers: [{ url: 'x' }] }
    const { prompt, ignored } = readMessageRequest(body, { ...options, clientTools: 'ignore' })
    expect(ignored).toEqual(['tools', 'mcp_servers', 'thinking', 'tool_use', 'tool_result'])
    expect(prompt.prompt).toMatch(/list the files[\s\S]*and now\?/)
    expect(prompt.prompt).not.toContain('a.txt')
  })

  it('takes what Claude Code sends besides: safeguards, and tools that are added and removed later', () => {
    const definition = { name: 'look', description: 'Looks', input_schema: { type: 'object' } }
    const changes = [
      { type: 'text', text: 'Be brief.' },
      { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
      { type: 'tool_addition', tool: { type: 'tool_reference', name: 'ls' } },
      { type: 'tool_removal', tool: { type: 'tool_reference', name: 'ls' } },
    ]
    const messages = [
      { role: 'user', content: 'look' },
      { role: 'system', content: changes },
    ]
    const tools = [{ name: 'ls', input_schema: { type: 'object' }, defer_loading: true }]
    const body = { ...MINIMAL, messages, tools, safeguards: { mode: 'strict' } }
    const { prompt } = readMessageRequest(body, { ...options, clientTools: 'bridge' })
    expect(prompt.clientTools?.tools.map(({ name }) => name)).toEqual(['ls', 'look'])
    expect([prompt.prompt, prompt.system_prompt]).toEqual(['look', 'Be brief.'])
    expect(readMessageRequest(body, { ...options, clientTools: 'ignore' }).ignored).toContain('tool_addition')
  })

  it('returns an ephemeral prompt', () => {
    expect(read(MINIMAL)).toEqual(PLAIN)
  })

  it('reads the model, messages, system prompt, stream and dry run', () => {
    const system = [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }]
    expect(read({ ...MINIMAL, model: 'gemini', system, stream: true, dry_run: true })).toEqual({
      model: 'gemini',
      prompt: { backend: 'gemini', prompt: 'say hello', system_prompt: 'be brief', ephemeral: true, dry_run: true },
      isStream: true,
    })
    expect(read({ ...MINIMAL, system: 'be brief' }).prompt.system_prompt).toBe('be brief')
  })

  it.each(['max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'])('ignores %s', (field) => {
    for (const value of ANYTHING) expect(read({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
  })

  it('names the ignored fields that would have changed the answer', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    expect(ignoredIn({ temperature: 0.5, top_k: 5, stop_sequences: ['a'], thinking, metadata: {} })).toEqual([
      ...['temperature', 'top_k', 'stop_sequences', 'thinking'],
    ])
    expect(ignoredIn({ temperature: 1, stop_sequences: [], thinking: { type: 'disabled' } })).toEqual([])
  })

  it.each<[string, readonly unknown[]]>([
    ['temperature', [0, 0.7, 1]],
    ['top_p', [0, 0.5, 1]],
    ['top_k', [0, 40]],
    ['stop_sequences', [[], ['a', '']]],
    ['metadata', [{}, { user_id: 'me' }, { user_id: null }]],
    ['system', ['', []]],
    ['tools', [[]]],
    ['mcp_servers', [[]]],
    ['stream', [false]],
    ['dry_run', [false]],
    // Fields that drover does not know.
    ['thinking', [{ type: 'enabled', budget_tokens: 1024 }, 'x']],
    ['tool_choice', [{ type: 'auto' }]],
    ['service_tier', ['auto']],
    ['ephemeral', [false]],
    ['backend', ['gemini']],
  ])('returns the same prompt for a request with %s', (field, values) => {
    for (const value of [...values, null]) expect(read({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
  })

  it.each<[string, unknown, string]>([
    ['model', undefined, 'is required'],
    ['model', '', 'must be a model name, without control characters and not starting with -'],
    ['model', 5, 'must be a string'],
    ['max_tokens', undefined, 'is required'],
    ['messages', undefined, 'is required'],
    ['messages', [], 'must have at least 1 item'],
    ['messages', {}, 'must be an array'],
    ['system', 5, 'must be a string or an array or null'],
    ['stream', 'true', 'must be a boolean or null'],
    ['dry_run', 1, 'must be a boolean or null'],
    ['tools', {}, 'must be an array or null'],
  ])('refuses %s: %j', (field, value, rule) => {
    const { [field]: _, ...rest } = MINIMAL as Record<string, unknown>
    const body = value === undefined ? rest : { ...rest, [field]: value }
    expect(faultOf(body)).toMatchObject({
      code: 'message_invalid',
      message: `the request is not valid: $.${field} ${rule}`,
    })
  })

  it('names the field with content that is not text', () => {
    const messages = [...MINIMAL.messages, { role: 'user', content: null }]
    expect(faultOf({ ...MINIMAL, messages })?.message).toBe(
      'the request is not valid: $.messages[1].content must be a string or an array',
    )
  })

  it.each(['tools', 'mcp_servers'])('refuses the field %s', (field) => {
    expect(faultOf({ ...MINIMAL, [field]: [{ name: 'f' }] })).toMatchObject({
      code: 'unsupported_feature',
      details: { place: field, feature: 'tools' },
    })
  })
})

const format = (isStream = true, isVendorOnly = false) =>
  replyFormat('say hello', messageWriter({ id: 'msg_1', model: 'claude' }, isVendorOnly), { isStream })

const frame = (name: string, fields = '') => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`
const delta = (text: string) =>
  frame('content_block_delta', `,"index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}`)

const START = frame(
  'message_start',
  ',"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}',
)
const TEXT_START = frame('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}')
const BEGIN = START + TEXT_START
const END =
  frame('content_block_stop', ',"index":0') +
  frame(
    'message_delta',
    ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":12,' +
      '"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":3}',
  ) +
  frame('message_stop')
const PING = frame('ping')
const INIT = promptEvent('init')
const FAILED = promptResult({ exit_code: 1, error: 'no money left', error_code: 'agent_failed' })

describe('a message', () => {
  it('contains the complete answer', () => {
    expect(bodyOf(format(false), promptResult({ output: 'Hello\nthere' }))).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello\nthere' }],
      model: 'claude',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
    })
  })

  it('is not created after a failure', () => {
    expect(() => bodyOf(format(false), FAILED)).toThrow('claude failed: no money left')
  })
})

describe('a stream of events', () => {
  it('has the start events, the deltas of one block, and the end events', () => {
    const events = [
      INIT,
      promptEvent('thinking', { text: 'hm' }),
      textPiece('Hel'),
      textPiece('lo\n"'),
      promptEvent('done'),
    ]
    expect(playStream(format(), events, promptResult())).toBe(BEGIN + delta('Hel') + delta('lo\n"') + END)
  })

  it('has one empty delta if there is no text', () => {
    expect(playStream(format(), [INIT, promptEvent('done')], promptResult())).toBe(BEGIN + delta('') + END)
  })

  it('ends with an error if the agent fails after the first delta', () => {
    const error = frame(
      'error',
      ',"error":{"type":"api_error","message":"claude failed: no money left","code":"backend_execution_failed","agent_error":"agent_failed"}',
    )
    expect(playStream(format(), [INIT, textPiece('Hi')], FAILED)).toBe(BEGIN + delta('Hi') + error)
  })

  it('has only the fields of the vendor on request', () => {
    expect(playStream(format(true, true), [textPiece('Hi')], FAILED)).toContain(
      '"error":{"type":"api_error","message":"claude failed: no money left"}}',
    )
  })

  it('reports a timeout as timeout_error', () => {
    const late = promptResult({ exit_code: 124, error: 'too slow', error_code: 'agent_timeout' })
    expect(playStream(format(), [textPiece('Hi')], late)).toContain(
      '{"type":"timeout_error","message":"too slow","code":"backend_timeout","agent_error":"agent_timeout"}',
    )
  })

  it('does not begin if the agent fails before the first delta', () => {
    const stream = asStream(format())
    const events = [INIT, promptEvent('progress'), promptEvent('tool_use'), promptEvent('error'), promptEvent('done')]
    expect(events.map((event) => stream.frame(event)).join('')).toBe('')
    expect(() => stream.end(FAILED)).toThrow('claude failed: no money left')
  })

  it('begins before the first ping', () => {
    expect(playStream(format(), [INIT, 'beat', 'beat', textPiece('Hi'), 'beat'], promptResult())).toBe(
      START + PING + PING + TEXT_START + delta('Hi') + PING + END,
    )
  })
})
