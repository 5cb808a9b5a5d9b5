import type { ServerResponse } from 'node:http'

/** Aborted when the client hangs up before it has its whole answer, so that no agent works for nobody. */
export function clientGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed) gone.abort()
  return gone.signal
}
