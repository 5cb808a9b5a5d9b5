/**
 * Counts the endpoint handlers that are still running. When a client disconnects, its connection is gone at once, but its
 * handler still ends the agent and saves the session. The server must not exit before that.
 */
import type { FastifyInstance } from 'fastify'

export type RunningHandlers = {
  /** Resolves when no handler is running. */
  idle(): Promise<void>
}

/** Tracks the handlers of routes that are registered from now on. */
export function trackHandlers(app: FastifyInstance): RunningHandlers {
  let running = 0
  let waiting: (() => void)[] = []
  const finished = () => {
    running -= 1
    if (running > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      if (result instanceof Promise) {
        running += 1
        result.then(finished, finished)
      }
      return result
    }
  })
  return { idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))) }
}
