import type { ServerResponse } from 'node:http'
import type { ServerContext } from '../context/server-context.ts'

/**
 * Aborted when the client hangs up before it has its whole answer, so that no agent works for nobody, and when the server
 * ends: then whatever waits for its turn does not get it any more.
 */
export function givenUp(response: ServerResponse, { timeUp }: Pick<ServerContext, 'timeUp'>): AbortSignal {
  const given = new AbortController()
  // By hand: `AbortSignal.any` takes four times as long, on every request.
  const giveUp = () => given.abort()
  if (timeUp.aborted || response.destroyed) giveUp()
  else timeUp.addEventListener('abort', giveUp)
  response.once('close', () => {
    timeUp.removeEventListener('abort', giveUp)
    if (!response.writableFinished) giveUp()
  })
  return given.signal
}
