/** Frames of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export const SSE_MEDIA_TYPE = 'text/event-stream; charset=utf-8'

/** `JSON.stringify` produces no line breaks, so one data line is enough. */
export function dataFrame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

export function eventFrame(data: { type: string }): string {
  return `event: ${data.type}\n${dataFrame(data)}`
}

/** Clients ignore a comment; proxies see that the connection is alive. */
export const COMMENT_FRAME = ': waiting\n\n'

/** The end of a stream in the chat completion API. */
export const DONE_FRAME = 'data: [DONE]\n\n'
