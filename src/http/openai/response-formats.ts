/** How a response is sent: as one body or as a stream, while its agent runs or from what is stored. */
import type { Usage } from '../../agents/adapter/agent.ts'
import { NO_USAGE, withoutPrior } from '../../agents/adapter/token-usage.ts'
import type { ToolRequest } from '../../agents/client-tools/tool-request.ts'
import type { Execution, ExecutionEvent } from '../../executions/store/execution.shape.ts'
import { executionEventsGone } from '../../executions/store/faults.ts'
import { isRetryable } from '../../kit/retryable.ts'
import { shuttingDown } from '../../prompts/faults.ts'
import { type PartResult, toPromptStatus } from '../../prompts/prompt-result.ts'
import { toPromptFault } from '../compatible/reply.ts'
import type { ReplyHooks } from '../compatible/send-reply.ts'
import { toRequestCaller } from '../context/sender.ts'
import { toHttpError } from '../errors/http-error.ts'
import type { Exchange } from '../executions/requested-execution.ts'
import { abortOnDisconnect, abortWhenGone } from '../response/disconnects.ts'
import type { ReplyFormat, SentExecution } from '../response/send-prompt.ts'
import { type StreamFormat, sendStream, streamLimits } from '../response/send-stream.ts'
import { COMMENT_FRAME, eventFrame, SSE_MEDIA_TYPE } from '../response/sse-frames.ts'
import type { FoundResponse } from './continue-response.ts'
import type { ResponseObject } from './response-object.shape.ts'
import { type ResponseRecord, responseEnvelope } from './response-record.ts'
import { type AnyEvent, type NumberedEvent, type ResponseEnd, ResponseWriter } from './response-writer.ts'

/** For the client whose request runs the agent. A failure before the first text is an HTTP error. */
export function liveFormat(
  execution: SentExecution,
  record: ResponseRecord,
  options: ReplyHooks & { prompt: string; isStream: boolean; isVendorOnly: boolean },
): ReplyFormat {
  const { prompt, isStream, isVendorOnly, onSession, onWarnings } = options
  const writer = new ResponseWriter({
    execution,
    record,
    isWhole: isChecked(record) || !(isStream || record.has_tools),
    isVendorOnly,
  })
  const begin = toFrames(writer.begin())
  const endOf = (result: PartResult) => {
    const end = toEnd(result, prompt)
    return { end, failure: end.status === 'cancelled' ? undefined : toPromptFault(result) }
  }
  if (isStream) return streamFormat({ writer, begin, endOf, onSession })
  return {
    onEvent: (event) => void writer.event(event),
    toBody(result) {
      onSession(result.session_id)
      onWarnings(result.warnings ?? [])
      const { end, failure } = endOf(result)
      if (failure !== undefined) throw failure
      writer.end(end)
      return writer.response()
    },
  }
}

type LiveStream = {
  writer: ResponseWriter
  begin: string
  endOf(result: PartResult): { end: ResponseEnd; failure: Error | undefined }
  onSession: ReplyHooks['onSession']
}

function streamFormat({ writer, begin, endOf, onSession }: LiveStream): StreamFormat {
  let hasBegun = false
  const afterBegin = (frames: string) => {
    const first = hasBegun ? '' : begin
    hasBegun = true
    return first + frames
  }
  return {
    contentType: SSE_MEDIA_TYPE,
    frame(event) {
      if (!hasBegun) onSession(event.session_id)
      const frames = toFrames(writer.event(event))
      return frames === '' ? '' : afterBegin(frames)
    },
    heartbeat: () => afterBegin(COMMENT_FRAME),
    end(result) {
      const { end, failure } = endOf(result)
      if (failure !== undefined && !hasBegun) throw failure
      return afterBegin(toFrames(writer.end(end)))
    },
  }
}

/** Sends the events of a response that runs without this client, or that has ended. */
export async function sendResponseEvents(
  exchange: Exchange,
  found: FoundResponse,
  startingAfter = -1,
): Promise<object> {
  const { execution, record, part = 0 } = found
  const { reply, context } = exchange
  const { id, created_at: createdAt, last_seq: lastSeq } = execution
  const isGone = execution.ended_at !== undefined && lastSeq === 0
  // Without its events, a response has other numbers than the client has seen.
  if (isGone && startingAfter >= 0) throw executionEventsGone({ id, after: startingAfter, first: 0 })
  const writer = new ResponseWriter({
    execution: { id, createdAt, part },
    record,
    isWhole: isChecked(record) || isGone,
    isVendorOnly: context.config.server.vendor_errors,
  })
  const own = new PartEvents(part)
  let begin = writer.begin()
  const framesOf = (events: readonly NumberedEvent[]) => {
    const all = [...begin, ...events].filter(({ sequence_number: number }) => number > startingAfter)
    begin = []
    return toFrames(all)
  }
  const format: StreamFormat<readonly ExecutionEvent[], Execution> = {
    contentType: SSE_MEDIA_TYPE,
    opensAtOnce: true,
    frame: (events) => framesOf(events.flatMap((event) => writer.event(event))),
    heartbeat: () => COMMENT_FRAME,
    end: (ended) => framesOf(endAfter(startingAfter, ended, { writer, own })),
  }
  await sendStream({ reply, events: followEvents(id, exchange, own) }, format, streamLimits(context))
  return reply
}

/** A server that was killed may have sent events that it had not stored yet. The end comes after these too. */
function endAfter(
  startingAfter: number,
  ended: Execution,
  { writer, own }: { writer: ResponseWriter; own: PartEvents },
): NumberedEvent[] {
  const events = writer.end(endOfExecution(ended, own))
  if (ended.state !== 'lost') return events
  return events.map((event) => ({ ...event, sequence_number: Math.max(event.sequence_number, startingAfter + 1) }))
}

/** The first batch is empty, so that a stream begins before its agent does. */
async function* followEvents(
  id: string,
  { request, reply, context }: Exchange,
  own: PartEvents,
): AsyncGenerator<readonly ExecutionEvent[], Execution, undefined> {
  const { executions } = context.drover
  const by = toRequestCaller(request, context)
  yield []
  const [signal, ending] = [abortWhenGone(reply.raw), context.drainDeadline]
  for await (const events of executions.follow(by, id, { after: 0, signal, ending })) {
    yield own.pick(events)
    if (own.calls !== undefined) return await executions.find(by, id)
  }
  const execution = await executions.find(by, id)
  // It may continue in another process, so its stream is cut off and has no end. The client can follow it again.
  if (execution.ended_at === undefined && context.drainDeadline.aborted) throw shuttingDown({})
  return execution
}

/** The response as it is now. */
export async function readResponse(
  { execution, record, part = 0 }: FoundResponse,
  { request, reply, context }: Exchange,
): Promise<ResponseObject> {
  const { id, created_at: createdAt, state } = execution
  const own = new PartEvents(part)
  if (record.has_tools) return await readPart({ execution, record, part }, context, own)
  if (execution.ended_at === undefined) {
    const status = state === 'queued' ? 'queued' : 'in_progress'
    return { ...responseEnvelope({ id, createdAt }, record), status, error: null, output: [], usage: null }
  }
  const writer = new ResponseWriter({
    execution: { id, createdAt },
    record,
    isWhole: isChecked(record) || !record.stream || execution.last_seq === 0,
    isVendorOnly: context.config.server.vendor_errors,
  })
  if (record.stream || record.summary !== undefined) {
    const signal = abortOnDisconnect(reply.raw, context)
    const { executions } = context.drover
    for await (const events of executions.follow(toRequestCaller(request, context), id, { after: 0, signal }))
      for (const each of events) writer.event(each)
  }
  writer.end(endOfExecution(execution, own))
  return writer.response()
}

const READ_BATCH = 500

/** From what is stored: the turn may wait, and then no event follows. */
async function readPart(
  { execution, record, part = 0 }: FoundResponse,
  { drover, config }: Exchange['context'],
  own: PartEvents,
): Promise<ResponseObject> {
  const { id, created_at: createdAt, state } = execution
  const writer = new ResponseWriter({
    execution: { id, createdAt, part },
    record,
    isWhole: isChecked(record),
    isVendorOnly: config.server.vendor_errors,
  })
  await drover.executions.save()
  for (let after = 0; own.calls === undefined; ) {
    const events = await drover.opened.executions.events(id, { after, limit: READ_BATCH })
    for (const event of own.pick(events)) writer.event(event)
    after = events.at(-1)?.seq ?? after
    if (events.length === 0) break
  }
  if (own.calls === undefined && execution.ended_at === undefined) {
    return { ...writer.response(), status: state === 'queued' ? 'queued' : 'in_progress' }
  }
  writer.end(endOfExecution(execution, own))
  return writer.response()
}

/** The answer is checked when it is complete, so nothing of it is sent before. */
function isChecked({ format, must_call: mustCall }: ResponseRecord): boolean {
  return format !== undefined || mustCall === true
}

function toEnd(result: PartResult, prompt: string): ResponseEnd {
  const status = toPromptStatus(result)
  if (status === 'completed') return { status, result, prompt }
  const isStop = result.error_code === shuttingDown.code
  if (status === 'canceled' && !isStop) return { status: 'cancelled' }
  return { status: 'failed', error: toHttpError(toPromptFault(result)) }
}

/** A part that ends with calls has its own result, whatever becomes of the turn. */
function endOfExecution(execution: Execution, own: PartEvents): ResponseEnd {
  const { id, state, result, prompt = '', error, backend = '' } = execution
  if (own.calls !== undefined) {
    const waiting = { session_id: '', backend, exit_code: 0, duration_ms: 0, output: '', token_usage: NO_USAGE }
    return { status: 'completed', result: own.resultOf(waiting), prompt }
  }
  if (result !== undefined) return toEnd(own.resultOf(result as unknown as PartResult), prompt)
  if (state === 'cancelled') return { status: 'cancelled' }
  const message = error?.message ?? `${id} is ${state}: the server that ran it has ended; send the request again`
  return { status: 'failed', error: { status: 500, message, retryable: isRetryable(error?.code ?? '') } }
}

function toFrames(events: readonly NumberedEvent[]): string {
  return events.map(eventFrame).join('')
}

/**
 * A turn that calls functions of the client has several parts, and each is a response. Picks the events of one part from all events
 * of the turn. Pure.
 */
class PartEvents {
  readonly #part: number
  #at = 0
  #before: Usage = NO_USAGE
  /** The calls that the part ends with. Undefined: it has not ended, or it is the last one. */
  calls: ToolRequest | undefined

  constructor(part: number) {
    this.#part = part
  }

  /** Those of the events that belong to the part. Call it with all events, in order. */
  pick<E extends AnyEvent>(events: readonly E[]): E[] {
    return events.filter((event) => {
      const isOwn = this.#at === this.#part
      if (event.type !== 'tool_request') return isOwn
      const request = event.content as ToolRequest
      if (isOwn) this.calls = request
      else if (this.#at < this.#part) this.#before = request.token_usage ?? this.#before
      this.#at += 1
      return false
    })
  }

  /** The result of the part, from that of the turn if it is the last one. */
  resultOf(result: PartResult): PartResult {
    const { calls, token_usage: usage = this.#before } = this.calls ?? {}
    if (calls === undefined) return { ...result, token_usage: withoutPrior(result.token_usage, this.#before) }
    return { ...result, output: '', token_usage: withoutPrior(usage, this.#before), tool_calls: calls }
  }
}
