import { describe, expect, it } from 'vitest'
import {
  asStream,
  bodyOf,
  playStream,
  promptEvent,
  promptResult,
  saidPiece,
} from '../../../test/support/play-stream.ts'
import { messageForm } from './message.ts'

const form = (isStream = true) => {
  const prompt = { backend: 'claude', prompt: 'say hello' }
  return messageForm({ id: 'msg_1', model: 'claude' }, { model: 'claude', prompt, isStream })
}

const frame = (name: string, fields = '') => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`
const delta = (text: string) =>
  frame('content_block_delta', `,"index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}`)

const BEGIN =
  frame(
    'message_start',
    ',"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}',
  ) + frame('content_block_start', ',"index":0,"content_block":{"type":"text","text":""}')
const END =
  frame('content_block_stop', ',"index":0') +
  frame('message_delta', ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}') +
  frame('message_stop')
const PING = frame('ping')
const INIT = promptEvent('init')
const FAILED = promptResult({ exit_code: 1, error: 'no money left', error_code: 'agent_failed' })

describe('a message', () => {
  it('is the whole answer', () => {
    expect(bodyOf(form(false), promptResult({ output: 'Hello\nthere' }))).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello\nthere' }],
      model: 'claude',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 3 },
    })
  })

  it('is none after a failure', () => {
    expect(() => bodyOf(form(false), FAILED)).toThrow('claude failed: no money left')
  })
})

describe('a stream of events', () => {
  it('is the beginning, the pieces of one block, and the end', () => {
    const events = [
      INIT,
      promptEvent('thinking', { text: 'hm' }),
      saidPiece('Hel'),
      saidPiece('lo\n"'),
      promptEvent('done'),
    ]
    expect(playStream(form(), events, promptResult())).toBe(BEGIN + delta('Hel') + delta('lo\n"') + END)
  })

  it('has one empty piece when there is no text', () => {
    expect(playStream(form(), [INIT, promptEvent('done')], promptResult())).toBe(BEGIN + delta('') + END)
  })

  it('ends with an error in place of the end when the agent fails after the first piece', () => {
    const error = frame('error', ',"error":{"type":"api_error","message":"claude failed: no money left"}')
    expect(playStream(form(), [INIT, saidPiece('Hi')], FAILED)).toBe(BEGIN + delta('Hi') + error)
  })

  it('calls a timeout by its name', () => {
    const late = promptResult({ exit_code: 124, error: 'too slow', error_code: 'agent_timeout' })
    expect(playStream(form(), [saidPiece('Hi')], late)).toContain('{"type":"timeout_error","message":"too slow"}')
  })

  it('is not begun when the agent fails before the first piece', () => {
    const style = asStream(form())
    const events = [INIT, promptEvent('progress'), promptEvent('tool_use'), promptEvent('error'), promptEvent('done')]
    expect(events.map((event) => style.frame(event)).join('')).toBe('')
    expect(() => style.end(FAILED)).toThrow('claude failed: no money left')
  })

  it('is begun by a ping, so that no ping comes before the message', () => {
    expect(playStream(form(), [INIT, 'beat', 'beat', saidPiece('Hi'), 'beat'], promptResult())).toBe(
      BEGIN + PING + PING + delta('Hi') + PING + END,
    )
  })
})
