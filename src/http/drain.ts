/** How a server ends: what is under way may finish, and what does not finish in time is ended. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { handlersUnderWay } from './handlers-under-way.ts'

export type DrainLimits = {
  /** For requests to finish by themselves. */
  drainMs: number
  /** For their answers to leave once their agents were ended. */
  graceMs: number
}

const LOOK_MS = 100

/** Resolves when no connection is left and no route is at work. `endAgents` is called once, at the latest when the time is up. */
export async function drain(app: FastifyInstance, limits: DrainLimits, endAgents: () => Promise<void>): Promise<void> {
  // Node closes the connections that are idle now; those that become so later would be kept for the next request.
  const sweep = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
  const closed = app.close().finally(() => clearInterval(sweep))
  const finished = Promise.all([closed, handlersUnderWay(app).idle()])
  await within(limits.drainMs, finished)
  await endAgents()
  await within(limits.graceMs, finished)
  app.server.closeAllConnections()
  await closed
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([done, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
}
