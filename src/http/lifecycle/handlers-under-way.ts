/**
 * Which routes are still at work. A client that hangs up takes its connection with it, but not its prompt: that ends its
 * agent and settles its session first, and the server must not go away under it.
 */
import type { FastifyInstance } from 'fastify'

export type HandlersUnderWay = {
  /** Resolves when no route is at work. */
  idle(): Promise<void>
}

const NAME = 'handlersUnderWay'

export function handlersUnderWay(app: FastifyInstance): HandlersUnderWay {
  return app.getDecorator<HandlersUnderWay>(NAME)
}

/** Follows the routes that are registered from now on. */
export function followHandlers(app: FastifyInstance): void {
  const underWay = new Set<PromiseLike<unknown>>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      if (isPromise(result)) {
        underWay.add(result)
        const leave = () => void underWay.delete(result)
        result.then(leave, leave)
      }
      return result
    }
  })
  app.decorate(NAME, {
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  } satisfies HandlersUnderWay)
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
