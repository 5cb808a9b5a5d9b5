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
import { chatWriter, readChatRequest } from './chat-completions.ts'

const MINIMAL = { model: 'gpt-5', messages: [{ role: 'user', content: 'say hello' }] }

const PLAIN = {
  model: 'gpt-5',
  prompt: { backend: 'codex', model: 'gpt-5', prompt: 'say hello', ephemeral: true, dry_run: false },
  isStream: false,
  wantsUsage: false,
}

/** Without the names of ignored fields. */
const read = (body: unknown) => {
  const { ignored: _, choice: __, ...asked } = readChatRequest(body, options)
  return asked
}

const choose = (name: string) =>
  chooseBackend(name, { names: ['claude', 'codex', 'gemini'], rules: [], isAlias: () => false })
const options = { choose, target: { storesSession: false }, clientTools: 'refuse' as const }

const ignoredIn = (fields: object) => readChatRequest({ ...MINIMAL, ...fields }, options).ignored

const faultOf = (body: unknown) => thrownFault(() => read(body))

const ANYTHING = [null, true, -1, 1.5, 'x', [], ['a', 5], {}]

describe('readChatRequest', () => {
  it('leaves out tools, calls and results if the operator says so', () => {
    const messages = [
      { role: 'user', content: 'list the files' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function' }] },
      { role: 'tool', tool_call_id: 'c', content: 'a.txt' },
      { role: 'user', content: 'and now?' },
    ]
    const body = { ...MINIMAL, messages, tools: [{ type: 'function' }], functions: [{ name: 'ls' }] }
    const { prompt, ignored } = readChatRequest(body, { ...options, clientTools: 'ignore' })
    expect(ignored).toEqual(['tools', 'functions', 'tool calls', 'tool results'])
    expect(prompt.prompt).toMatch(/list the files[\s\S]*and now\?/)
    expect(prompt.prompt).not.toContain('a.txt')
  })

  it('returns an ephemeral prompt', () => {
    expect(read(MINIMAL)).toEqual(PLAIN)
  })

  it('reads the model, messages, stream and dry run', () => {
    const messages = [{ role: 'system', content: 'be brief' }, ...MINIMAL.messages]
    const stream_options = { include_usage: true }
    expect(read({ model: 'claude', messages, stream: true, stream_options, dry_run: true })).toEqual({
      model: 'claude',
      prompt: { backend: 'claude', prompt: 'say hello', system_prompt: 'be brief', ephemeral: true, dry_run: true },
      isStream: true,
      wantsUsage: true,
    })
  })

  it('accepts a model name of maximum length', () => {
    const model = `gpt${'x'.repeat(253)}`
    expect(read({ ...MINIMAL, model }).prompt).toMatchObject({ backend: 'codex', model })
  })

  it.each<[string, readonly unknown[]]>([
    ['max_tokens', [1, 0, -1, 1_000_000]],
    ['temperature', [0, 0.7, 2]],
    ['top_p', [0, 0.5, 1]],
    ['n', [1, 3, 0]],
    ['stop', ['END', '', [], ['a', 'b'], ['a', 'b', 'c', 'd']]],
    ['presence_penalty', [-2, 0, 1.5]],
    ['frequency_penalty', [-2, 0, 1.5]],
    ['logit_bias', [{}, { 50256: -100 }, { a: 0.5, b: null }]],
    ['user', ['', 'me']],
    ['max_completion_tokens', [1]],
    ['stream_options', [{}, { include_usage: false }, { include_usage: null }, { include_obfuscation: true }]],
    ['tools', [[]]],
    ['functions', [[]]],
    ['stream', [false]],
    ['dry_run', [false]],
    // Not named anywhere: whatever a client sends is its own affair.
    ['seed', [7, 'x', {}]],
    ['response_format', [{ type: 'text' }]],
    ['tool_choice', ['none', 'auto']],
    ['ephemeral', [false]],
    ['backend', ['gemini']],
    ['workdir', ['/etc']],
    ['extra', [['--yolo']]],
  ])('returns the same prompt for a request with %s', (field, values) => {
    for (const value of [...values, null]) expect(read({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
  })

  it.each([
    'max_tokens',
    'max_completion_tokens',
    'temperature',
    'top_p',
    'n',
    'stop',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'user',
  ])('ignores %s', (field) => {
    for (const value of ANYTHING) expect(read({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
  })

  it('returns the same prompt for a request with all ignored fields', () => {
    const ignored = { max_tokens: 5, temperature: 2, top_p: 1, n: 3, stop: 'x', presence_penalty: 1 }
    const more = { frequency_penalty: 1, logit_bias: { 1: 2 }, user: 'me', made_up: { a: [] } }
    expect(read({ ...MINIMAL, ...ignored, ...more })).toEqual(PLAIN)
  })

  it('names the ignored fields that would have changed the answer', () => {
    expect(
      ignoredIn({ n: 2, stop: ['END'], temperature: 0, logprobs: true, seed: 7, max_tokens: 5, user: 'me' }),
    ).toEqual([...['max_tokens', 'temperature', 'n', 'stop', 'logprobs', 'seed']])
    const neutral = { n: 1, stop: [], temperature: 1, top_p: 1, logprobs: false, presence_penalty: 0, logit_bias: {} }
    expect(ignoredIn({ ...neutral, modalities: ['text'], max_tokens: null, user: 'me', made_up: 1 })).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['model', undefined, 'is required'],
    ['model', null, 'must be a string'],
    ['model', '', 'must be a model name, without control characters and not starting with -'],
    ['model', '--yolo gpt', 'must be a model name, without control characters and not starting with -'],
    ['model', 'gpt\0', 'must be a model name, without control characters and not starting with -'],
    ['model', 'gpt\u007f', 'must be a model name, without control characters and not starting with -'],
    ['model', 'gpt\u009b', 'must be a model name, without control characters and not starting with -'],
    ['model', 'x'.repeat(257), 'must have at most 256 characters'],
    ['model', 5, 'must be a string'],
    ['messages', undefined, 'is required'],
    ['messages', null, 'must be an array'],
    ['messages', [], 'must have at least 1 item'],
    ['messages', 'say hello', 'must be an array'],
    ['stream', 'true', 'must be a boolean or null'],
    ['stream', 1, 'must be a boolean or null'],
    ['dry_run', 'yes', 'must be a boolean or null'],
    ['stream_options', true, 'must be an object or null'],
    ['tools', {}, 'must be an array or null'],
  ])('refuses %s: %j', (field, value, rule) => {
    const { [field]: _, ...rest } = MINIMAL as Record<string, unknown>
    const body = value === undefined ? rest : { ...rest, [field]: value }
    expect(faultOf(body)).toMatchObject({
      code: 'message_invalid',
      message: `the request is not valid: $.${field} ${rule}`,
    })
  })

  it.each<[string, unknown, string]>([
    ['a message that is not an object', 'x', '$.messages[0] must be an object'],
    ['a message without a role', { content: 'x' }, '$.messages[0].role is required'],
    ['a role that is not a string', { role: 1, content: 'x' }, '$.messages[0].role must be a string'],
    ['a message without content', { role: 'user' }, '$.messages[0].content is required'],
    [
      'content that is not text',
      { role: 'user', content: 5 },
      '$.messages[0].content must be a string or an array or null',
    ],
    ['a part that is not an object', { role: 'user', content: ['x'] }, '$.messages[0].content[0] must be an object'],
    ['a part without a type', { role: 'user', content: [{ text: 'x' }] }, '$.messages[0].content[0].type is required'],
    [
      'a part whose text is not a string',
      { role: 'user', content: [{ type: 'text', text: 5 }] },
      '$.messages[0].content[0].text must be a string',
    ],
    [
      'a part with an unknown type',
      { role: 'user', content: [{ type: 'x'.repeat(65) }] },
      '$.messages[0].content[0].type must have at most 64 characters',
    ],
  ])('names the field of %s', (_name, message, problem) => {
    expect(faultOf({ ...MINIMAL, messages: [message] })?.message).toBe(`the request is not valid: ${problem}`)
  })

  it.each([[null], [[]], ['x'], [5], [true]])('refuses %j', (body) => {
    expect(faultOf(body)?.message).toBe('the request is not valid: $ must be an object')
  })

  it.each(['tools', 'functions'])('refuses the field %s', (field) => {
    expect(faultOf({ ...MINIMAL, [field]: [{ name: 'f' }] })).toMatchObject({
      code: 'unsupported_feature',
      details: { place: field, feature: 'tools' },
    })
  })
})

const ENVELOPE = { id: 'chatcmpl-1', created: 1_767_225_600, model: 'gpt-5' }

const format = (over: { isStream?: boolean; wantsUsage?: boolean } = {}) => {
  const { isStream = true, wantsUsage = false } = over
  return replyFormat('say hello', chatWriter(ENVELOPE, { wantsUsage }), { isStream })
}

const frame = (choices: string, more = '') =>
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"gpt-5","choices":[${choices}]${more}}\n\n`
const chunk = (delta: string, finish = 'null', more = '') =>
  frame(`{"index":0,"delta":${delta},"finish_reason":${finish}}`, more)

const ROLE = chunk('{"role":"assistant"}')
const STOP = chunk('{}', '"stop"')
const DONE = 'data: [DONE]\n\n'
const INIT = promptEvent('init')
const FAILED = promptResult({ exit_code: 1, error: 'no money left', error_code: 'agent_failed' })

describe('a completion', () => {
  it('contains the complete answer', () => {
    expect(bodyOf(format({ isStream: false }), promptResult({ output: 'Hello\nthere' }))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'gpt-5',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello\nthere' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 3,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  it('may be empty', () => {
    expect(bodyOf(format({ isStream: false }), promptResult())).toMatchObject({
      choices: [{ message: { content: '' } }],
    })
  })

  it.each([
    ['an error', FAILED, { code: 'backend_execution_failed', message: 'claude failed: no money left' }],
    [
      'only an exit code',
      promptResult({ exit_code: 3, output: 'half' }),
      { code: 'backend_execution_failed', message: 'claude failed: it ended with exit code 3' },
    ],
    [
      'only an error',
      promptResult({ error: 'odd' }),
      { code: 'backend_execution_failed', message: 'claude failed: odd' },
    ],
    [
      'a timeout',
      promptResult({ exit_code: 124, error: 'too slow', error_code: 'agent_timeout' }),
      { code: 'backend_timeout', message: 'too slow' },
    ],
    [
      'silence',
      promptResult({ exit_code: 124, error: 'it was silent', error_code: 'agent_silent' }),
      { code: 'backend_timeout', message: 'it was silent' },
    ],
  ])('is not created after %s', (_name, result, fault) => {
    expect(() => bodyOf(format({ isStream: false }), result)).toThrow(expect.objectContaining(fault))
  })
})

describe('a stream of chunks', () => {
  it('has the role, the text, the stop and [DONE]', () => {
    const events = [
      INIT,
      promptEvent('thinking', { text: 'hm' }),
      textPiece('Hel'),
      textPiece('lo\n"'),
      promptEvent('done'),
    ]
    expect(playStream(format(), events, promptResult())).toBe(
      ROLE + chunk('{"content":"Hel"}') + chunk('{"content":"lo\\n\\""}') + STOP + DONE,
    )
  })

  it('has no text chunks if there is no text', () => {
    expect(playStream(format(), [INIT, promptEvent('done')], promptResult())).toBe(ROLE + STOP + DONE)
  })

  it('has a null usage in every chunk and the real usage in an extra chunk, on request', () => {
    const usage =
      ',"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,' +
      '"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}'
    expect(playStream(format({ wantsUsage: true }), [INIT, textPiece('Hi')], promptResult())).toBe(
      chunk('{"role":"assistant"}', 'null', ',"usage":null') +
        chunk('{"content":"Hi"}', 'null', ',"usage":null') +
        chunk('{}', '"stop"', ',"usage":null') +
        frame('', usage) +
        DONE,
    )
  })

  it('ends with an error if the agent fails after the first text', () => {
    const error =
      '{"message":"claude failed: no money left","type":"server_error","code":"backend_execution_failed","param":null,"agent_error":"agent_failed"}'
    expect(playStream(format({ wantsUsage: true }), [textPiece('Hi')], FAILED)).toMatch(
      /"Hi".*\n\ndata: \{"error":[^\n]*\n\n$/,
    )
    expect(playStream(format(), [INIT, textPiece('Hi')], FAILED)).toBe(
      `${ROLE}${chunk('{"content":"Hi"}')}data: {"error":${error}}\n\n`,
    )
  })

  it('does not begin if the agent fails before the first text', () => {
    const stream = asStream(format())
    const events = [INIT, promptEvent('progress'), promptEvent('tool_use'), promptEvent('error'), promptEvent('done')]
    expect(events.map((event) => stream.frame(event)).join('')).toBe('')
    expect(() => stream.end(FAILED)).toThrow('claude failed: no money left')
  })

  it('begins before the first heartbeat, which is a comment', () => {
    expect(playStream(format(), [INIT, 'beat', 'beat', textPiece('Hi'), 'beat'], promptResult())).toBe(
      `${ROLE}: waiting\n\n: waiting\n\n${chunk('{"content":"Hi"}')}: waiting\n\n${STOP}${DONE}`,
    )
    expect(playStream(format(), [INIT, 'beat'], FAILED)).toMatch(
      /^data: .*"role".*\n\n: waiting\n\ndata: \{"error":.*\n\n$/,
    )
  })
})
