/** What the message API answers. Pure. */

import { type StreamParts, streamForm, wholeForm } from '../compatible/compatible-form.ts'
import { messageError } from '../errors/problem.ts'
import type { Tokens } from '../request/tokens.ts'
import type { AnswerForm } from '../response/answer-prompt.ts'
import { eventFrame } from '../response/sse.ts'
import type { MessageTask } from './to-message-task.ts'
import type { Message, MessageStreamEvent } from './wire.shape.ts'

type Envelope = { id: string; model: string }

export function messageForm(envelope: Envelope, { prompt: { prompt }, isStream }: MessageTask): AnswerForm {
  return isStream
    ? streamForm(prompt, eventParts(envelope))
    : wholeForm(prompt, (text, tokens) => toMessage(envelope, text, tokens))
}

const INDEX = 0

function toMessage({ id, model }: Envelope, text: string, { input, output }: Tokens): Message {
  const content = [{ type: 'text' as const, text }]
  const usage = { input_tokens: input, output_tokens: output }
  return { id, type: 'message', role: 'assistant', content, model, stop_reason: 'end_turn', stop_sequence: null, usage }
}

/** The beginning of a message, its only block piece by piece, its end. */
function eventParts({ id, model }: Envelope): StreamParts {
  const piece = (text: string) =>
    frames({ type: 'content_block_delta', index: INDEX, delta: { type: 'text_delta', text } })
  return {
    begin: frames(
      { type: 'message_start', message: emptyMessage({ id, model }) },
      { type: 'content_block_start', index: INDEX, content_block: { type: 'text', text: '' } },
    ),
    piece,
    // A block has at least one piece.
    finish: ({ tokens, hasText }) => (hasText ? '' : piece('')) + finish(tokens),
    breakOff: (refusal) => frames({ type: 'error', error: messageError(refusal) }),
    heartbeat: frames({ type: 'ping' }),
  }
}

function finish({ output }: Tokens): string {
  const delta = { stop_reason: 'end_turn', stop_sequence: null } as const
  return frames(
    { type: 'content_block_stop', index: INDEX },
    { type: 'message_delta', delta, usage: { output_tokens: output } },
    { type: 'message_stop' },
  )
}

function emptyMessage({ id, model }: Envelope) {
  const usage = { input_tokens: 0, output_tokens: 0 }
  const kind = { type: 'message', role: 'assistant' } as const
  return { id, ...kind, content: [], model, stop_reason: null, stop_sequence: null, usage }
}

function frames(...events: readonly MessageStreamEvent[]): string {
  return events.map(eventFrame).join('')
}
