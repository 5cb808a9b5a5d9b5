import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * From now on the client has to take what waits for it: one that takes nothing for so long is cut off. Node starts the
 * clock anew with every byte that leaves. The function returned stops it; so does the end of the response.
 */
export function cutStalled(response: ServerResponse, timeoutMs: number): () => void {
  const start = (socket: Socket) => void socket.setTimeout(timeoutMs)
  const stop = () => {
    response.off('socket', start)
    response.off('finish', stop)
    response.socket?.setTimeout(0)
  }
  // One that was asked for before others were answered has no connection until its turn, which may be a long time.
  if (response.socket === null) response.once('socket', start)
  else start(response.socket)
  // Before Node sets its own clock for the next request, which is not to be stopped.
  response.prependOnceListener('finish', stop)
  return stop
}
