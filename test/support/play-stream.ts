import type { AnswerForm } from '../../src/http/response/answer-prompt.ts'
import type { StreamStyle } from '../../src/http/response/send-stream.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { PromptResult } from '../../src/prompts/prompt-result.ts'

/** A result with everything that a test does not care about. */
export function promptResult(over: Partial<PromptResult> = {}): PromptResult {
  const usage = { input_tokens: 12, output_tokens: 3, cached_tokens: 0, reasoning_tokens: 0 }
  return { session_id: '', backend: 'claude', exit_code: 0, duration_ms: 1, output: '', token_usage: usage, ...over }
}

export function promptEvent(type: PromptEvent['type'], content: object = {}): PromptEvent {
  const envelope = { backend: 'claude', session_id: '', timestamp: '2026-01-01T00:00:00.000Z', sequence: 1 }
  return { type, ...envelope, content } as PromptEvent
}

export function saidPiece(text: string): PromptEvent {
  return promptEvent('message', { text, role: 'assistant', is_partial: true })
}

export function asStream(form: AnswerForm): StreamStyle {
  if ('toBody' in form) throw new Error('the form is no stream')
  return form
}

/** The bytes that a stream gives for these events and `beat`s of a silent agent, up to its end. */
export function playStream(form: AnswerForm, steps: readonly (PromptEvent | 'beat')[], result: PromptResult): string {
  const style = asStream(form)
  const frames = steps.map((step) => (step === 'beat' ? style.heartbeat() : style.frame(step)))
  return frames.join('') + style.end(result)
}

export function bodyOf(form: AnswerForm, result: PromptResult): object {
  if (!('toBody' in form)) throw new Error('the form is a stream')
  return form.toBody(result)
}
