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
  let count = 0
  let waiting: (() => void)[] = []
  const leave = () => {
    count -= 1
    if (count > 0) return
    for (const goOn of waiting) goOn()
    waiting = []
  }
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply)
      if (isPromise(result)) {
        count += 1
        result.then(leave, leave)
      }
      return result
    }
  })
  app.decorate(NAME, {
    idle: () => (count === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  } satisfies HandlersUnderWay)
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
