/**
 * Runs a prompt and sends its result: as a stream of events, or as one body when the agent has finished. A client that
 * disconnects ends its agent, unless the request is detached or has an `Idempotency-Key`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { replayEvents, resultOf } from '../../executions/replay.ts'
import type { JsonObject } from '../../kit/json/json-value.ts'
import type { ExecutionOptions } from '../../prompts/execution-recorder.ts'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { PromptRunOptions } from '../../prompts/prompt-run.ts'
import { runPrompt, runPromptToEnd } from '../../prompts/run-prompt.ts'
import { acceptExecution } from '../executions/accept-execution.ts'
import {
  type Exchange,
  type RequestedExecution,
  releaseOnFault,
  requestExecution,
} from '../executions/requested-execution.ts'
import { abortOnDisconnect } from './abort-on-disconnect.ts'
import { promptsOf } from './prompts-of.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'
import { type StreamFormat, sendStream, streamLimits } from './send-stream.ts'

/** `toBody` may throw a Fault, which is then sent as the error. */
export type ReplyFormat =
  | StreamFormat
  | {
      toBody(result: PromptResult): object
      /** Gets the events of the prompt before its result. */
      onEvent?(event: PromptEvent): void
    }

export type PromptReply = {
  prompt: PromptRequest
  /** The format may contain the id and the time of the execution, so that a repeated request gets the same answer. */
  toFormat(execution: { id: string; createdAt: string }): ReplyFormat
  detach?: boolean | undefined
  /** Answers a detached request, in place of the answer of the native API. */
  accept?: (execution: RequestedExecution) => Promise<object>
  /** Whether nothing is stored of the execution. The default is what the prompt says. */
  isEphemeral?: boolean
  /** Stored with the execution. */
  clientRequest?: JsonObject
}

/** How long a detached request waits for the session of its prompt. */
const SESSION_WAIT_MS = 200
/** The same if a worker on another machine creates it. */
const SHARED_SESSION_WAIT_MS = 1000

/** Returns what the Fastify handler has to return. */
export async function sendPrompt(exchange: Exchange, sent: PromptReply): Promise<object> {
  const { prompt, toFormat } = sent
  const { facts } = exchange.request
  facts.backends = [prompt.backend]
  facts.prompts = [prompt.prompt]
  const execution = await requestExecution(exchange, sent)
  const format = toFormat(execution)
  const run: Run = {
    exchange,
    execution,
    prompt: { ...prompt, wantsDeltas: execution.isDetached || !('toBody' in format) },
    sent,
  }
  if (!execution.isInBackground) return await sendRun(run, format)
  const started = execution.isRepeat ? undefined : await startInBackground(run)
  if (execution.isDetached) return await (sent.accept?.(execution) ?? acceptExecution(exchange, execution))
  return await sendReplay(run, format, started?.result)
}

type Run = { exchange: Exchange; execution: RequestedExecution; prompt: PromptRequest; sent: PromptReply }

async function sendRun({ exchange, ...run }: Run, format: ReplyFormat): Promise<object> {
  const { request, reply, context } = exchange
  const prompts = promptsOf(request, context)
  const options = { signal: abortOnDisconnect(reply.raw, context), execution: executionOptions({ exchange, ...run }) }
  if ('toBody' in format) {
    const { onEvent } = format
    const result = await runPromptToEnd(run.prompt, prompts, { ...options, ...(onEvent !== undefined && { onEvent }) })
    return sendBody(exchange, result, format)
  }
  const events = runPrompt(run.prompt, prompts, options)
  const result = await sendStream({ reply, events }, format, streamLimits(context))
  request.facts.answers = [result.output]
  return reply
}

/** Sends what the execution does in the background; `started` is the result of a run that this request has started. */
async function sendReplay(
  { exchange, execution: { id } }: Run,
  format: ReplyFormat,
  started: Promise<PromptResult> | undefined,
): Promise<object> {
  const { request, reply, context } = exchange
  const signal = abortOnDisconnect(reply.raw, context)
  const result = () => started ?? (resultOf(id, context, signal) as Promise<PromptResult>)
  const events = replayEvents(id, context, { signal, result })
  if ('toBody' in format) {
    const ended = format.onEvent === undefined ? await result() : await readEvents(events, format.onEvent)
    return sendBody(exchange, ended, format)
  }
  const sent = await sendStream({ reply, events }, format, streamLimits(context))
  request.facts.answers = [sent.output]
  return reply
}

async function readEvents(
  events: AsyncGenerator<PromptEvent, PromptResult, undefined>,
  onEvent: (event: PromptEvent) => void,
): Promise<PromptResult> {
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) onEvent(next.value)
  return next.value
}

function sendBody(
  { request, reply }: Exchange,
  result: PromptResult,
  format: Extract<ReplyFormat, { toBody: unknown }>,
): object {
  request.facts.answers = [result.output]
  const body = format.toBody(result)
  // Serializing the answer of a prompt must not delay other requests.
  return result.output.length < LARGE_OUTPUT ? body : sendJson(reply, body)
}

/** For a detached request, waits a moment for the session. Throws the Fault of a prompt that cannot be run. */
async function startInBackground({ exchange, execution, ...run }: Run): Promise<{ result: Promise<PromptResult> }> {
  const { request, context } = exchange
  const [session, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const known = executionOptions({ exchange, execution, ...run })
  const onBegin = (begins: { id: string }) => {
    known.onBegin?.(begins)
    begun.resolve()
  }
  const options: PromptRunOptions = {
    // A signal of its own, because listeners are added to it.
    signal: AbortSignal.any([context.drainDeadline]),
    execution: { ...known, onBegin, onSession: () => session.resolve() },
  }
  const ended = runPromptToEnd(run.prompt, promptsOf(request, context), options)
  const result = context.background.add(releaseOnFault(ended, execution))
  // With a queue it is stored only now, and then it can be followed.
  await Promise.race([result, begun.promise])
  if (execution.isDetached) {
    const waitMs = context.queue === undefined ? SESSION_WAIT_MS : SHARED_SESSION_WAIT_MS
    await Promise.race([result, session.promise, sleep(waitMs, undefined, { ref: false })])
  }
  return { result }
}

function executionOptions({ exchange, execution, sent }: Run): ExecutionOptions {
  const { id, createdAt, isInBackground } = execution
  const onBegin = () => void exchange.reply.header('x-execution-id', id)
  return {
    id,
    createdAt,
    isInBackground,
    onBegin,
    ...(sent.isEphemeral !== undefined && { isEphemeral: sent.isEphemeral }),
    ...(sent.clientRequest !== undefined && { clientRequest: sent.clientRequest }),
  }
}
