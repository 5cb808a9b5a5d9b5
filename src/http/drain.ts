/** How a server ends: what is under way may finish, and what does not finish in time is ended. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { shuttingDown } from './errors/faults.ts'
import { handlersUnderWay } from './handlers-under-way.ts'
import { connectionsOf } from './request/connections.ts'

export type DrainLimits = {
  /** For requests to finish by themselves. */
  drainMs: number
  /** For their agents to end, then for their answers to leave, and for those whose clients have gone to clear up. */
  graceMs: number
}

const LOOK_MS = 100

/**
 * Resolves when no connection is left and no route is at work, or when all that can be waited for is over. `endAgents` is
 * called once, at the latest when the time is up.
 */
export async function drain(app: FastifyInstance, limits: DrainLimits, endAgents: () => Promise<void>): Promise<void> {
  // Again and again: a connection whose request is answered would be kept for the next one.
  const closeUnused = () => connectionsOf(app).closeUnused(shuttingDown({}))
  const sweep = setInterval(closeUnused, LOOK_MS)
  const closed = app.close().finally(() => clearInterval(sweep))
  closeUnused()
  const finished = closed.then(() => handlersUnderWay(app).idle())
  await within(limits.drainMs, finished)
  await within(limits.graceMs, endAgents())
  await within(limits.graceMs, finished)
  app.server.closeAllConnections()
  // Whoever is still at work has lost its client by now, and what it works with must not go away under it.
  await within(limits.graceMs, finished)
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([done, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
}
