/** Clients that disconnect, and clients that stop reading. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerContext } from '../context/server-context.ts'

/** A signal for prompts: aborted when the client disconnects before the end of its response, or when the server exits. */
export function abortOnDisconnect(
  response: ServerResponse,
  { drainDeadline }: Pick<ServerContext, 'drainDeadline'>,
): AbortSignal {
  const controller = new AbortController()
  // Not `AbortSignal.any`, which takes four times as long.
  const abort = () => controller.abort()
  if (drainDeadline.aborted || response.destroyed) abort()
  else drainDeadline.addEventListener('abort', abort)
  response.once('close', () => {
    drainDeadline.removeEventListener('abort', abort)
    if (!response.writableFinished) abort()
  })
  return controller.signal
}

/** A signal for those who read what ends by itself when the server exits: aborted when the client disconnects. */
export function abortWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.once('close', () => controller.abort())
  return controller.signal
}

/**
 * Closes the connection if the client reads nothing for `timeoutMs`. Node restarts the timer with every byte that is sent.
 * The timer stops when the response has finished, or when the returned function is called.
 */
export function disconnectIfStalled(response: ServerResponse, timeoutMs: number): () => void {
  const start = (socket: Socket) => void socket.setTimeout(timeoutMs)
  const stop = () => {
    response.off('socket', start)
    response.off('finish', stop)
    response.socket?.setTimeout(0)
  }
  // A pipelined response gets its socket when the responses before it have finished.
  if (response.socket === null) response.once('socket', start)
  else start(response.socket)
  // Before Node starts its own timer for the next request.
  response.prependOnceListener('finish', stop)
  return stop
}
