/**
 * Streams a prompt to a client. Headers go out only with the first bytes to be shown, so that a prompt which fails before
 * is an ordinary error. A client that reads slowly slows the agent down; one that does not read at all is cut off.
 */
import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { PromptEvent } from '../../prompts/prompt-event.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { cutStalled } from './cut-stalled.ts'

/** How events look on the wire. */
export type StreamStyle = {
  contentType: string
  /** Empty when the event is not shown. */
  frame(event: PromptEvent): string
  /** After the last event. It may throw a Fault as long as everything so far was empty: that is then the answer. */
  end(result: PromptResult): string
  /** Sent while the agent is silent, so that nobody in between takes the connection for dead. */
  heartbeat(): string
}

export type StreamLimits = { heartbeatMs: number; writeTimeoutMs: number }

type Course = AsyncGenerator<PromptEvent, PromptResult, undefined>

const HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

/** Throws what the course or the style throws before anything was sent. The course must end when the client has gone. */
export async function sendStream(
  { reply, course }: { reply: FastifyReply; course: Course },
  style: StreamStyle,
  limits: StreamLimits,
): Promise<PromptResult> {
  let next = await course.next()
  const response = reply.raw
  const silence = setTimeout(() => {
    open(reply, style)
    if (!response.writableNeedDrain) response.write(style.heartbeat())
    silence.refresh()
  }, limits.heartbeatMs)
  const send = async (text: string) => {
    if (text === '' || response.destroyed) return
    open(reply, style)
    silence.refresh()
    if (!response.write(text)) await drained(response, limits.writeTimeoutMs)
  }
  try {
    // A client that has gone is no reason to stop reading: its signal ends the agent, and the course settles the session.
    for (; next.done !== true; next = await course.next()) await send(style.frame(next.value))
    const last = style.end(next.value)
    open(reply, style)
    await send(last)
    return next.value
  } finally {
    clearTimeout(silence)
    if (reply.sent) {
      cutStalled(response, limits.writeTimeoutMs)
      response.end()
    }
  }
}

/** From here on the response is ours. What the hooks have set (request id, CORS, limits) is on the reply, which no longer sends it. */
function open(reply: FastifyReply, { contentType }: StreamStyle): void {
  if (reply.sent) return
  reply.hijack()
  const set = reply.getHeaders() as OutgoingHttpHeaders
  reply.raw.writeHead(200, { ...set, ...HEADERS, 'content-type': contentType })
}

/** Until the client has read on. One that does not is cut off, which ends its agent too. */
async function drained(response: ServerResponse, timeoutMs: number): Promise<void> {
  const stopClock = cutStalled(response, timeoutMs)
  const closed = new AbortController()
  const leave = () => closed.abort()
  response.once('close', leave)
  try {
    await once(response, 'drain', { signal: closed.signal })
  } catch {
    // It has gone: whoever waits for the client's signal knows by now.
  } finally {
    stopClock()
    response.off('close', leave)
  }
}
