/**
 * How the compatible APIs answer, whatever the vendor calls the parts. A failed run is never a success with another reason
 * to stop: it is an HTTP error, or in a stream that has begun an error instead of the end.
 */
import type { Fault } from '../../kit/fault.ts'
import { type PromptResult, statusOf } from '../../prompts/prompt-result.ts'
import { backendExecutionFailed, backendTimeout, shuttingDown } from '../errors/faults.ts'
import { type Refusal, toRefusal } from '../errors/http-error.ts'
import { type Tokens, tokensOf } from '../request/tokens.ts'
import type { AnswerForm } from '../response/answer-prompt.ts'
import { createAnswerText } from '../response/answer-text.ts'
import type { StreamStyle } from '../response/send-stream.ts'
import { SSE_MEDIA_TYPE } from '../response/sse.ts'

/** The frames of a stream. */
export type StreamParts = {
  /** Before all others. */
  begin: string
  piece(text: string): string
  /** After the last piece; `hasText` is false when there was none. */
  finish(end: { tokens: Tokens; hasText: boolean }): string
  /** Instead of the finish. */
  breakOff(refusal: Refusal): string
  heartbeat: string
}

export function wholeForm(prompt: string, toBody: (text: string, tokens: Tokens) => object): AnswerForm {
  return {
    toBody(result) {
      const failure = failureOf(result)
      if (failure !== undefined) throw failure
      return toBody(result.output, tokensOf(result, prompt))
    },
  }
}

/** Begins with the first piece of text: until then a failure can still be an HTTP error. */
export function streamForm(prompt: string, parts: StreamParts): StreamStyle {
  const textOf = createAnswerText()
  let hasBegun = false
  let hasText = false
  const afterBegin = (frames: string) => {
    const start = hasBegun ? '' : parts.begin
    hasBegun = true
    return start + frames
  }
  return {
    contentType: SSE_MEDIA_TYPE,
    frame(event) {
      const text = textOf(event)
      if (text === '') return ''
      hasText = true
      return afterBegin(parts.piece(text))
    },
    heartbeat: () => afterBegin(parts.heartbeat),
    end(result) {
      const failure = failureOf(result)
      if (failure === undefined) return afterBegin(parts.finish({ tokens: tokensOf(result, prompt), hasText }))
      if (!hasBegun) throw failure
      return parts.breakOff(toRefusal(failure))
    },
  }
}

function failureOf(result: PromptResult): Fault | undefined {
  const { backend, exit_code: exitCode, error, error_code: code } = result
  // A client that hears of it has not hung up, so it is the server that gave the prompt up.
  if (statusOf(result) === 'canceled') return shuttingDown({})
  if (code === 'agent_timeout') return backendTimeout({ reason: error ?? `${backend} took too long` })
  if (exitCode === 0 && error === undefined) return undefined
  const reason = error ?? `it ended with exit code ${exitCode}`
  return backendExecutionFailed({ backend, reason, code: code ?? 'agent_failed' })
}
