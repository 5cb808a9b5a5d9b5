/**
 * Runs a prompt and sends its result: as a stream of events, or as one body when the agent has finished. A client that
 * disconnects ends its agent, unless the request is detached or has an `Idempotency-Key`.
 */
import { toTimestamp } from '../../kit/clock.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { type PartResult, type PromptResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import type { Running, ToolAnswer } from '../../service/drover-service.ts'
import { toRequestCaller } from '../context/sender.ts'
import {
  acceptExecution,
  type Exchange,
  type RequestedExecution,
  releaseOnFault,
  requestExecution,
} from '../executions/requested-execution.ts'
import { abortOnDisconnect } from './disconnects.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'
import { type StreamFormat, sendStream, streamLimits } from './send-stream.ts'

/** `toBody` may throw a Fault, which is then sent as the error. */
export type ReplyFormat =
  | StreamFormat
  | {
      toBody(result: PartResult): object
      /** Gets the events of the prompt before its result. */
      onEvent?(event: PromptEvent): void
    }

/** `part`: which part of a turn with calls of functions of the client is sent. */
export type SentExecution = { id: string; createdAt: string; part?: number | undefined }

export type PromptReply = {
  prompt: PromptRequest
  /** The format may contain the id and the time of the execution, so that a repeated request gets the same answer. */
  toFormat(execution: SentExecution): ReplyFormat
  detach?: boolean | undefined
  /** Answers a detached request, in place of the answer of the native API. */
  accept?: (execution: RequestedExecution) => Promise<object>
  /** Whether nothing is stored of the execution. The default is what the prompt says. */
  isEphemeral?: boolean
  /** Stored with the execution. */
  clientRequest?: JsonObject
  /** The results of calls that a turn may wait for. Then it is continued, and the prompt is not needed. */
  answer?: Omit<ToolAnswer, 'request'> | undefined
}

/** Returns what the Fastify handler has to return. */
export async function sendPrompt(exchange: Exchange, sent: PromptReply): Promise<object> {
  const { prompt, toFormat } = sent
  const { facts } = exchange.request
  facts.backends = [prompt.backend]
  facts.prompts = [prompt.prompt]
  const continued = await continueTurn(exchange, sent)
  if (continued !== undefined)
    return await sendRunning(exchange, continued.running, { ...continued, asked: prompt.backend })
  const execution = await requestExecution(exchange, sent)
  const format = toFormat(execution)
  const wantsDeltas = execution.isDetached || !('toBody' in format)
  const running = await start(exchange, execution, { ...sent, prompt: { ...prompt, wantsDeltas } })
  if (execution.isDetached) {
    if (!execution.isRepeat)
      void logFailures(
        exchange,
        running.result().then((result) => [result]),
      )
    return await (sent.accept?.(execution) ?? acceptExecution(exchange, execution))
  }
  return await sendRunning(exchange, running, { format, asked: prompt.backend, isRepeat: execution.isRepeat })
}

/** Undefined if the request has no results, or no turn waits for them. */
async function continueTurn(
  { request, reply, context }: Exchange,
  { answer, prompt, toFormat }: PromptReply,
): Promise<{ running: Running<PartResult>; format: ReplyFormat } | undefined> {
  if (answer === undefined) return undefined
  const signal = abortOnDisconnect(reply.raw, context)
  const running = await context.drover.answerCalls(
    toRequestCaller(request, context),
    { ...answer, request: prompt },
    { signal },
  )
  if (running === undefined) return undefined
  void reply.header('x-execution-id', running.id)
  return { running, format: toFormat({ ...running, createdAt: toTimestamp(context.clock.now()) }) }
}

/** Throws the Fault of a prompt in the background that cannot be run. */
async function start(
  { request, reply, context }: Exchange,
  execution: RequestedExecution,
  { prompt, isEphemeral, clientRequest }: PromptReply,
): Promise<Running<PartResult>> {
  const { id, createdAt, isInBackground, isDetached, isRepeat } = execution
  const signal = abortOnDisconnect(reply.raw, context)
  const by = toRequestCaller(request, context)
  if (isRepeat) return await context.drover.attach(by, id, signal)
  return await context.drover.prompts.start(by, prompt, {
    ...{ id, createdAt, isInBackground, isDetached, signal },
    settle: (work) => releaseOnFault(work, execution),
    onBegin: () => void reply.header('x-execution-id', id),
    ...(isEphemeral !== undefined && { isEphemeral }),
    ...(clientRequest !== undefined && { clientRequest }),
  })
}

type Sent = { format: ReplyFormat; asked: string; isRepeat?: boolean }

async function sendRunning(
  exchange: Exchange,
  running: Running<PartResult>,
  { format, asked, isRepeat = false }: Sent,
): Promise<object> {
  const { request, reply, context } = exchange
  const note = (result: PartResult) => {
    if (!isRepeat) logFailure(exchange, result)
  }
  if ('toBody' in format) {
    const result = await running.result(format.onEvent)
    note(result)
    return sendBody(exchange, result, { format, asked })
  }
  const frame = (event: PromptEvent) => {
    const text = format.frame(event)
    nameFallback(exchange, { asked, answers: event.backend })
    return text
  }
  const stream = { reply, events: running.events() }
  const end = (result: PartResult) => {
    note(result)
    return format.end(result)
  }
  const { output } = await sendStream(stream, { ...format, frame, end }, streamLimits(context))
  request.facts.answers = [output]
  return reply
}

/** Before the headers are sent: an agent that takes over begins with the first event that is passed on. */
function nameFallback({ request, reply }: Exchange, { asked, answers }: { asked: string; answers: string }): void {
  if (answers === asked || reply.sent) return
  request.facts.backends = [answers]
  reply.header('x-drover-fallback', answers)
  if (reply.hasHeader('x-drover-backend')) reply.header('x-drover-backend', answers)
}

function sendBody(
  exchange: Exchange,
  result: PartResult,
  { format, asked }: Sent & { format: Extract<ReplyFormat, { toBody: unknown }> },
): object {
  exchange.request.facts.answers = [result.output]
  const body = format.toBody(result)
  nameFallback(exchange, { asked, answers: result.backend })
  // Serializing the answer of a prompt must not delay other requests.
  return result.output.length < LARGE_OUTPUT ? body : sendJson(exchange.reply, body)
}

/** The native API answers 200 if an agent has failed, so the line of the request does not tell. */
function logFailure({ request, context }: Exchange, result: PromptResult): void {
  if (toPromptStatus(result) !== 'failed') return
  request.facts.isFailureLogged = true
  const { execution_id: execution, backend, error_code: error, exit_code: exitCode } = result
  const reason = result.error ?? `it ended with exit code ${exitCode}`
  context.log.warn({ request_id: request.id, execution, backend, error, reason }, 'agent failed')
}

/** Also for a client that does not wait. Never throws: an error is that of the request. */
export async function logFailures(exchange: Exchange, running: Promise<readonly PromptResult[]>): Promise<void> {
  const results = await running.catch(() => [])
  for (const result of results) logFailure(exchange, result)
}
