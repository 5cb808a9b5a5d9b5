/**
 * Sends events as a stream, mostly those of a prompt. The headers are sent with the first bytes, so a prompt that fails earlier gets
 * an ordinary error response. A client that reads slowly slows the agent down; one that stops reading is disconnected.
 */
import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PartResult } from '../../prompts/prompt-result.ts'
import type { ServerContext } from '../context/server-context.ts'
import { disconnectIfStalled } from './disconnects.ts'

/** The headers of every stream. `x-accel-buffering` tells nginx to pass the bytes on at once. */
const STREAM_HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

/** Firefox gives a response to its page only with the first bytes of the body. */
const FIRST_BYTES_MS = 200

/** Turns events into the bytes of a stream. */
export type StreamFormat<Event = PromptEvent, Result = PartResult> = {
  contentType: string
  /** Returns an empty text for an event that is not sent. */
  frame(event: Event): string
  /** Called after the last event. May throw a Fault if nothing was sent so far: the Fault is then sent as the error. */
  end(result: Result): string
  /** Sent while the agent is silent, so that proxies keep the connection open. */
  heartbeat(): string
  /** The headers do not wait for the first event, because it may come much later. */
  opensAtOnce?: boolean
}

export type StreamLimits = { heartbeatMs: number; writeTimeoutMs: number }

export function streamLimits({ heartbeatMs, config }: Pick<ServerContext, 'heartbeatMs' | 'config'>): StreamLimits {
  return { heartbeatMs, writeTimeoutMs: config.server.write_timeout_secs * 1000 }
}

/** Throws the error of the events or the format if nothing was sent. `events` must end when the client disconnects. */
export async function sendStream<Event, Result>(
  { reply, events }: { reply: FastifyReply; events: AsyncGenerator<Event, Result, undefined> },
  format: StreamFormat<Event, Result>,
  limits: StreamLimits,
): Promise<Result> {
  const first = events.next()
  // An error that is known by now is sent as an ordinary response.
  if (format.opensAtOnce === true) await Promise.race([first, nextTurn()])
  else await first
  const response = reply.raw
  const beat = () => {
    sendHeaders(reply, format)
    if (!response.writableNeedDrain) response.write(format.heartbeat())
    silence = setTimeout(beat, limits.heartbeatMs)
  }
  let silence = setTimeout(
    beat,
    format.opensAtOnce === true ? Math.min(FIRST_BYTES_MS, limits.heartbeatMs) : limits.heartbeatMs,
  )
  const send = async (text: string) => {
    if (text === '' || response.destroyed) return
    sendHeaders(reply, format)
    silence.refresh()
    if (!response.write(text)) await drained(response, limits.writeTimeoutMs)
  }
  try {
    if (format.opensAtOnce === true) {
      sendHeaders(reply, format)
      response.flushHeaders()
    }
    let next = await first
    // The loop continues after a disconnect: the abort signal ends the agent, and the last events save the session.
    for (; next.done !== true; next = await events.next()) await send(format.frame(next.value))
    const last = format.end(next.value)
    sendHeaders(reply, format)
    await send(last)
    return next.value
  } catch (error) {
    // A stream that ends here must not look complete.
    if (reply.sent) response.destroy()
    throw error
  } finally {
    clearTimeout(silence)
    if (reply.sent) {
      disconnectIfStalled(response, limits.writeTimeoutMs)
      response.end()
    }
  }
}

/** After `hijack`, Fastify no longer sends the headers that the guards have set on the reply. */
function sendHeaders(reply: FastifyReply, { contentType }: { contentType: string }): void {
  if (reply.sent) return
  reply.hijack()
  const common = reply.getHeaders() as OutgoingHttpHeaders
  reply.raw.writeHead(200, { ...common, ...STREAM_HEADERS, 'content-type': contentType })
}

/** Waits until the client has read the buffered bytes. A client that does not is disconnected, which ends its agent. */
async function drained(response: ServerResponse, timeoutMs: number): Promise<void> {
  const stopTimer = disconnectIfStalled(response, timeoutMs)
  const closed = new AbortController()
  const stopWaiting = () => closed.abort()
  response.once('close', stopWaiting)
  try {
    await once(response, 'drain', { signal: closed.signal })
  } catch {
    // The client has disconnected. The abort signal of the prompt handles that.
  } finally {
    stopTimer()
    response.off('close', stopWaiting)
  }
}
