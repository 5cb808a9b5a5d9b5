import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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
