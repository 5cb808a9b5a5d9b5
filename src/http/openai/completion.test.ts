import { describe, expect, it } from 'vitest'
import {
  asStream,
  bodyOf,
  playStream,
  promptEvent,
  promptResult,
  saidPiece,
} from '../../../test/support/play-stream.ts'
import { chatForm } from './completion.ts'

const ENVELOPE = { id: 'chatcmpl-1', created: 1_767_225_600, model: 'gpt-5' }

const form = (over: { isStream?: boolean; wantsUsage?: boolean } = {}) => {
  const prompt = { backend: 'codex', prompt: 'say hello' }
  return chatForm(ENVELOPE, { model: 'gpt-5', prompt, isStream: true, wantsUsage: false, ...over })
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
  it('is the whole answer', () => {
    expect(bodyOf(form({ isStream: false }), promptResult({ output: 'Hello\nthere' }))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'gpt-5',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello\nthere' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    })
  })

  it('may be empty', () => {
    expect(bodyOf(form({ isStream: false }), promptResult())).toMatchObject({ choices: [{ message: { content: '' } }] })
  })

  it.each([
    ['an error', FAILED, { code: 'backend_execution_failed', message: 'claude failed: no money left' }],
    [
      'an exit code alone',
      promptResult({ exit_code: 3, output: 'half' }),
      { code: 'backend_execution_failed', message: 'claude failed: it ended with exit code 3' },
    ],
    [
      'an error alone',
      promptResult({ error: 'odd' }),
      { code: 'backend_execution_failed', message: 'claude failed: odd' },
    ],
    [
      'a timeout',
      promptResult({ exit_code: 124, error: 'too slow', error_code: 'agent_timeout' }),
      { code: 'backend_timeout', message: 'too slow' },
    ],
  ])('is none after %s', (_name, result, fault) => {
    expect(() => bodyOf(form({ isStream: false }), result)).toThrow(expect.objectContaining(fault))
  })
})

describe('a stream of chunks', () => {
  it('is the role, the pieces, the stop and the end', () => {
    const events = [
      INIT,
      promptEvent('thinking', { text: 'hm' }),
      saidPiece('Hel'),
      saidPiece('lo\n"'),
      promptEvent('done'),
    ]
    expect(playStream(form(), events, promptResult())).toBe(
      ROLE + chunk('{"content":"Hel"}') + chunk('{"content":"lo\\n\\""}') + STOP + DONE,
    )
  })

  it('has no pieces when there is no text', () => {
    expect(playStream(form(), [INIT, promptEvent('done')], promptResult())).toBe(ROLE + STOP + DONE)
  })

  it('has an empty usage in every chunk and the real one in a chunk of its own where that was asked for', () => {
    const usage = ',"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}'
    expect(playStream(form({ wantsUsage: true }), [INIT, saidPiece('Hi')], promptResult())).toBe(
      chunk('{"role":"assistant"}', 'null', ',"usage":null') +
        chunk('{"content":"Hi"}', 'null', ',"usage":null') +
        chunk('{}', '"stop"', ',"usage":null') +
        frame('', usage) +
        DONE,
    )
  })

  it('ends with an error in place of the stop when the agent fails after the first piece', () => {
    const error =
      '{"message":"claude failed: no money left","type":"server_error","code":"backend_execution_failed","param":null}'
    expect(playStream(form({ wantsUsage: true }), [saidPiece('Hi')], FAILED)).toMatch(
      /"Hi".*\n\ndata: \{"error":[^\n]*\n\n$/,
    )
    expect(playStream(form(), [INIT, saidPiece('Hi')], FAILED)).toBe(
      `${ROLE}${chunk('{"content":"Hi"}')}data: {"error":${error}}\n\n`,
    )
  })

  it('is not begun when the agent fails before the first piece', () => {
    const style = asStream(form())
    const events = [INIT, promptEvent('progress'), promptEvent('tool_use'), promptEvent('error'), promptEvent('done')]
    expect(events.map((event) => style.frame(event)).join('')).toBe('')
    expect(() => style.end(FAILED)).toThrow('claude failed: no money left')
  })

  it('is begun by a heartbeat, which readers do not see', () => {
    expect(playStream(form(), [INIT, 'beat', 'beat', saidPiece('Hi'), 'beat'], promptResult())).toBe(
      `${ROLE}: waiting\n\n: waiting\n\n${chunk('{"content":"Hi"}')}: waiting\n\n${STOP}${DONE}`,
    )
    expect(playStream(form(), [INIT, 'beat'], FAILED)).toMatch(
      /^data: .*"role".*\n\n: waiting\n\ndata: \{"error":.*\n\n$/,
    )
  })
})
