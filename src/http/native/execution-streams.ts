/** The streams of executions and runs: lines of JSON, or server-sent events for a client that accepts them. */
import type { FastifyRequest } from 'fastify'
import { toTimestamp } from '../../kit/clock.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type StreamFormat, type StreamLimits, streamLimits } from '../response/send-stream.ts'
import { SSE_MEDIA_TYPE } from '../response/sse-frames.ts'

/** A client that receives nothing for longer knows that its connection is dead. */
const HEARTBEAT_MS = 10_000

/** For a route that streams. A `HEAD` of it would be as long as the stream. */
export const STREAM = { exposeHeadRoute: false } as const

export function wantsServerSentEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Several events are one chunk. In server-sent events, the id is the number of the event, if it has one. */
export function numberedFormat(request: FastifyRequest, context: ServerContext): StreamFormat<NumberedEvent[], void> {
  const isSse = wantsServerSentEvents(request)
  const toFrame = isSse ? numberedFrame : jsonLine
  return { ...common(isSse, context), frame: (events) => events.map(toFrame).join('') }
}

type NumberedEvent = { readonly seq?: number; readonly type: string }

function numberedFrame(event: NumberedEvent): string {
  return event.seq === undefined ? sseFrame(event) : `id: ${event.seq}\n${sseFrame(event)}`
}

export function stateFormat(request: FastifyRequest, context: ServerContext): StreamFormat<{ type: string }, void> {
  const isSse = wantsServerSentEvents(request)
  return { ...common(isSse, context), frame: isSse ? sseFrame : jsonLine }
}

export function executionStreamLimits(context: ServerContext): StreamLimits {
  const limits = streamLimits(context)
  return { ...limits, heartbeatMs: Math.min(limits.heartbeatMs, HEARTBEAT_MS) }
}

/** The heartbeat is data, because clients cannot see comments. */
function common(isSse: boolean, { clock }: ServerContext) {
  const heartbeat = () => ({ type: 'heartbeat', at: toTimestamp(clock.now()) })
  return {
    contentType: isSse ? SSE_MEDIA_TYPE : 'application/x-ndjson',
    opensAtOnce: true,
    end: () => '',
    heartbeat: () => (isSse ? sseFrame(heartbeat()) : jsonLine(heartbeat())),
  }
}

function sseFrame(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

function jsonLine(data: object): string {
  return `${JSON.stringify(data)}\n`
}
