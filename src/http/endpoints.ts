/** Which paths and methods there are, so that a wrong method is answered with 405 and not with 404. */
import type { FastifyInstance } from 'fastify'

export type Endpoint = { method: string; path: string }

export type Endpoints = {
  methodsOf(path: string): string[]
  /** The path that such a one is the end of: many a client is given an address without the beginning of its paths. */
  endingIn(path: string): string | undefined
  /** In the order of their registration, without the `HEAD` that comes with every `GET`. */
  list(): Endpoint[]
}

const NAME = 'endpoints'

export function endpointsOf(app: FastifyInstance): Endpoints {
  return app.getDecorator<Endpoints>(NAME)
}

/** Listens for the routes that are registered from now on. */
export function collectEndpoints(app: FastifyInstance): void {
  const routes: { method: string; path: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) routes.push({ method: each, path: url, pattern: patternOf(url) })
  })
  app.decorate(NAME, {
    methodsOf: (path) =>
      routes
        .filter(({ pattern }) => pattern.test(path))
        .map(({ method }) => method)
        .sort(),
    endingIn: (end) => (end.length > 1 ? routes.find(({ path }) => path.endsWith(end))?.path : undefined),
    list: () => routes.filter(({ method }) => method !== 'HEAD').map(({ method, path }) => ({ method, path })),
  } satisfies Endpoints)
}

/** As the router has it: `:name` stands for one step of the path, an empty one too, `*` at the end for all the rest. */
function patternOf(template: string): RegExp {
  const source = template
    .replace(/[.+^$(){}|[\]\\]/g, '\\$&')
    .replace(/\*$/, '.*')
    .replace(/:[A-Za-z_]+/g, '[^/]*')
  return new RegExp(`^${source}$`)
}
