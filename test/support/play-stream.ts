import type { ReplyFormat } from '../../src/http/response/send-prompt.ts'
import type { StreamFormat } from '../../src/http/response/send-stream.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { PromptResult } from '../../src/prompts/prompt-result.ts'

/** A successful result, with default values for all fields. */
export function promptResult(over: Partial<PromptResult> = {}): PromptResult {
  const usage = { input_tokens: 12, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 }
  return { session_id: '', backend: 'claude', exit_code: 0, duration_ms: 1, output: '', token_usage: usage, ...over }
}

export function promptEvent(type: PromptEvent['type'], content: object = {}): PromptEvent {
  const envelope = { backend: 'claude', session_id: '', timestamp: '2026-01-01T00:00:00.000Z', sequence: 1 }
  return { type, ...envelope, content } as PromptEvent
}

export function textPiece(text: string): PromptEvent {
  return promptEvent('message', { text, role: 'assistant', is_partial: true })
}

export function asStream(format: ReplyFormat): StreamFormat {
  if ('toBody' in format) throw new Error('the format is not a stream')
  return format
}

/** The bytes of a stream with these events; `beat` is a heartbeat while the agent is silent. */
export function playStream(
  format: ReplyFormat,
  steps: readonly (PromptEvent | 'beat')[],
  result: PromptResult,
): string {
  const stream = asStream(format)
  const frames = steps.map((step) => (step === 'beat' ? stream.heartbeat() : stream.frame(step)))
  return frames.join('') + stream.end(result)
}

export function bodyOf(format: ReplyFormat, result: PromptResult): object {
  if (!('toBody' in format)) throw new Error('the format is a stream')
  return format.toBody(result)
}
