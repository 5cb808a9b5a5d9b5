/** Shuts the server down: running requests may finish, and those that do not finish in time are canceled. */
import { raceTime } from '../kit/race.ts'
import { shuttingDown } from './errors/faults.ts'
import { closeLocally } from './local-socket.ts'
import type { HttpServer } from './server.ts'

export type DrainLimits = {
  /** For running requests to finish. */
  drainMs: number
  /** For agents to end, then for responses to be sent, then for the handlers of disconnected clients to finish. */
  graceMs: number
}

const CLOSE_IDLE_MS = 100

/**
 * Resolves when no connection is open and no handler is running, or when all time limits have passed. Calls `endAgents`
 * once: when all requests have finished, or when their time is over.
 */
export async function drain(server: HttpServer, limits: DrainLimits, endAgents: () => Promise<void>): Promise<void> {
  const { app, localListener, connections, handlers, background } = server
  // Repeatedly, because a connection becomes idle when its request is answered.
  const closeIdle = () => connections.closeIdle(shuttingDown({}))
  const timer = setInterval(closeIdle, CLOSE_IDLE_MS)
  const closed = Promise.all([app.close(), closeLocally(localListener)]).finally(() => clearInterval(timer))
  closeIdle()
  const finished = closed.then(() => handlers.idle()).then(() => background.idle())
  await raceTime(finished, limits.drainMs)
  await raceTime(endAgents(), limits.graceMs)
  await raceTime(finished, limits.graceMs)
  app.server.closeAllConnections()
  // Handlers that are still running use the session store, which the caller closes next.
  await raceTime(finished, limits.graceMs)
}
