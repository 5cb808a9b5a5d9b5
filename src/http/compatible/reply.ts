/**
 * The result of a prompt becomes the reply of a compatible API. A failed prompt is always an error: an HTTP error, or an
 * error event in a stream that has begun.
 */
import type { ClientCall } from '../../agents/adapter/agent.shape.ts'
import { agentSilent } from '../../agents/faults.ts'
import { Fault } from '../../kit/fault.ts'
import { isBudget } from '../../prompts/budget-faults.ts'
import { shuttingDown } from '../../prompts/faults.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import { type Tokens, toTokens } from '../../prompts/tokens.ts'
import { sessionExpired } from '../../sessions/faults.ts'
import {
  backendExecutionFailed,
  backendTimeout,
  requestCancelled,
  upstreamAuth,
  upstreamModelUnknown,
  upstreamOutOfCredit,
  upstreamOverloaded,
  upstreamRateLimited,
  upstreamRejected,
  upstreamUsageLimited,
} from '../errors/faults.ts'
import { type HttpError, toHttpError } from '../errors/http-error.ts'
import type { ReplyFormat } from '../response/send-prompt.ts'
import type { StreamFormat } from '../response/send-stream.ts'
import { SSE_MEDIA_TYPE } from '../response/sse-frames.ts'

/** How an API writes its reply. The functions return the frames of a stream. */
export type ReplyWriter = {
  toBody(text: string, tokens: Tokens, calls: readonly ClientCall[]): object
  /** The first frames. */
  begin: string
  text(piece: string): string
  /** The last frames, with the calls that the client has to run; `hasText` is false if no text was sent. */
  end(result: { tokens: Tokens; hasText: boolean; calls: readonly ClientCall[] }): string
  /** Sent instead of the last frames. */
  error(error: HttpError): string
  heartbeat: string
}

/** `onSession` gets the id of the session before anything is sent; empty if no session is stored. */
type ReplyOptions = {
  isStream: boolean
  onSession?: (id: string) => void
  /** Gets the warnings of a reply that is not a stream, before it is sent. */
  onWarnings?: (warnings: readonly string[]) => void
  /** The answer may be a part of a turn: its text is that of its events. */
  isPart?: boolean
  /** The answer is checked when it is complete, so nothing of it is sent before. */
  isChecked?: boolean
}

export function replyFormat(prompt: string, writer: ReplyWriter, options: ReplyOptions): ReplyFormat {
  const { isStream, onSession, onWarnings } = options
  if (isStream) return streamFormat(prompt, writer, options)
  const textOfEvent = createAnswerText()
  let said = ''
  return {
    ...(options.isPart === true && {
      onEvent(event: PromptEvent) {
        said += textOfEvent(event)
      },
    }),
    toBody(result) {
      onSession?.(result.session_id)
      onWarnings?.(result.warnings ?? [])
      const failure = toPromptFault(result)
      if (failure !== undefined) throw failure
      const { output, tool_calls: calls = [] } = result
      const text = options.isPart === true && options.isChecked !== true ? said : output
      return writer.toBody(text, toTokens({ ...result, output: text }, prompt), calls)
    },
  }
}

/** The stream begins with the first text. A failure before that is an HTTP error. */
function streamFormat(prompt: string, writer: ReplyWriter, options: ReplyOptions): StreamFormat {
  const { onSession, isChecked = false } = options
  const textOfEvent = createAnswerText()
  let hasBegun = false
  let hasText = false
  const afterBegin = (frames: string) => {
    const first = hasBegun ? '' : writer.begin
    hasBegun = true
    return first + frames
  }
  return {
    contentType: SSE_MEDIA_TYPE,
    frame(event) {
      if (!hasBegun) onSession?.(event.session_id)
      const text = isChecked ? '' : textOfEvent(event)
      if (text === '') return ''
      hasText = true
      return afterBegin(writer.text(text))
    },
    heartbeat: () => afterBegin(writer.heartbeat),
    end(result) {
      const failure = toPromptFault(result)
      if (failure === undefined) {
        const { output, tool_calls: calls = [] } = result
        const whole = isChecked && calls.length === 0 ? writer.text(output) : ''
        const tokens = toTokens(result, prompt)
        return afterBegin(whole + writer.end({ tokens, hasText: hasText || whole !== '', calls }))
      }
      if (!hasBegun) throw failure
      return writer.error(toHttpError(failure))
    },
  }
}

/** The error of a prompt that has failed or was canceled. */
export function toPromptFault(result: PromptResult): Fault | undefined {
  const { backend, exit_code: exitCode, error, error_code: code } = result
  if (code === shuttingDown.code) return shuttingDown({})
  if (toPromptStatus(result) === 'canceled') return requestCancelled({})
  if (code === 'agent_timeout' || code === agentSilent.code)
    return backendTimeout({ reason: error ?? `${backend} took too long`, agentCode: code })
  if (exitCode === 0 && error === undefined) return undefined
  if (code === sessionExpired.code) return sessionExpired({ id: result.session_id, backend })
  const reason = error ?? `it ended with exit code ${exitCode}`
  // It was stopped when its budget was spent.
  if (isBudget(code))
    return new Fault({
      code,
      kind: 'rate_limited',
      message: reason,
      details: { retryAfterSecs: result.retry_after_secs },
    })
  return agentFailure({ backend, reason, agentCode: code ?? 'agent_failed' }, result)
}

/** What the model service answered to the agent is passed on, so that a client can wait, fall back or give up. */
function agentFailure(
  failed: { backend: string; reason: string; agentCode: string },
  { retry_after_secs: retryAfterSecs, model }: PromptResult,
): Fault {
  switch (failed.agentCode) {
    case 'agent_rate_limited':
      return upstreamRateLimited({ ...failed, retryAfterSecs })
    case 'agent_usage_limited':
      return upstreamUsageLimited({ ...failed, retryAfterSecs })
    case 'agent_out_of_credit':
      return upstreamOutOfCredit(failed)
    case 'agent_overloaded':
      return upstreamOverloaded({ ...failed, retryAfterSecs })
    case 'agent_auth_failed':
      return upstreamAuth(failed)
    case 'agent_model_unknown':
      return upstreamModelUnknown({ ...failed, model })
    case 'agent_request_rejected':
      return upstreamRejected(failed)
    default:
      return backendExecutionFailed(failed)
  }
}

/** Returns the text of each event. Messages before and after a tool call are separated by an empty line. */
export function createAnswerText(): (event: PromptEvent) => string {
  const paragraphs = new Paragraphs()
  return (event) => {
    if (event.type === 'tool_use' || event.type === 'tool_result') paragraphs.end()
    return event.type === 'message' ? paragraphs.add(event.content) : ''
  }
}

export type TextPiece = { text: string; is_partial?: boolean | undefined }

/** Joins pieces to paragraphs: an empty line separates two that do not belong together. */
export class Paragraphs {
  #hasText = false
  #hasEnded = false

  /** The next piece begins a new paragraph. */
  end(): void {
    this.#hasEnded = true
  }

  add({ text, is_partial: isPartial = false }: TextPiece): string {
    if (text === '') return ''
    const piece = this.#hasText && this.#hasEnded ? `\n\n${text}` : text
    this.#hasText = true
    this.#hasEnded = !isPartial
    return piece
  }
}
