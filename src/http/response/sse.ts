/** Frames of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export const SSE_MEDIA_TYPE = 'text/event-stream; charset=utf-8'

/** JSON of `JSON.stringify` has no line breaks, so a frame has one line of data. */
export function dataFrame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

/** The name is the type that the data carry. */
export function eventFrame(data: { type: string }): string {
  return `event: ${data.type}\n${dataFrame(data)}`
}

/** For nobody's ears: readers skip it, proxies see that the connection lives. */
export const COMMENT_FRAME = ': waiting\n\n'

/** How the chat-completion API says that nothing follows. */
export const DONE_FRAME = 'data: [DONE]\n\n'
