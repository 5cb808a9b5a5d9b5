import type { ServerResponse } from 'node:http'
import type { ServerContext } from '../context.ts'

/**
 * Aborted when the client hangs up before it has its whole answer, so that no agent works for nobody, and when the server
 * ends: then whatever waits for its turn does not get it any more.
 */
export function givenUp(response: ServerResponse, { timeUp }: Pick<ServerContext, 'timeUp'>): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed) gone.abort()
  return AbortSignal.any([gone.signal, timeUp])
}
