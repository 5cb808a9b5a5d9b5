/** The HTTP server: a Fastify instance that reads, judges and refuses by our rules, with the routes of every scope. */
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { ServerContext } from './context/server-context.ts'
import { collectEndpoints } from './endpoints.ts'
import { requestMalformed } from './errors/faults.ts'
import { followHandlers } from './handlers-under-way.ts'
import { answerConnection, MAX_HEADER_BYTES } from './request/answer-connection.ts'
import { createTrustedProxies } from './request/client-address.ts'
import { createConnections, followConnections } from './request/connections.ts'
import { createRateLimiter, type RateLimiter } from './request/rate-limit.ts'
import { addRequestHooks, type Doorkeepers, refuseUnknown } from './request/request-hooks.ts'
import { requestIdFrom } from './request/request-id.ts'
import { routableUrl } from './request/request-target.ts'
import { sendRefusal } from './request/send-refusal.ts'
import { SCOPES, type Scope } from './routes.ts'

/** How often Node looks for senders that are too slow; it acts up to this much late. */
const SLOW_SENDER_CHECK_MS = 500

const ID_BYTES = 16

/** Gives the server, ready to listen. Nothing in it outlives it. */
export async function createServer(
  context: ServerContext,
  scopes: readonly Scope[] = SCOPES,
): Promise<FastifyInstance> {
  const doorkeepers: Doorkeepers = {
    connections: createConnections(),
    proxies: createTrustedProxies(context.config.server.trusted_proxies),
    limiter: limiterOf(context),
  }
  const app = createInstance(context, doorkeepers)
  collectEndpoints(app)
  followHandlers(app)
  // Shapes are checked by generated validators in the routes. Fastify's own would coerce what comes in and drop what goes out.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  // The body is read by a hook, once the request is known to be wanted, and by our rules: for Fastify there is none.
  for (const method of app.supportedMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  app.setErrorHandler((error, request, reply) => sendRefusal({ error, request, reply }, context))
  app.setNotFoundHandler(refuseUnknown)
  addRequestHooks(app, context, doorkeepers)
  for (const { prefix, routes } of scopes) {
    await app.register(
      (scope, _options, done) => {
        for (const register of routes) register(scope, context)
        done()
      },
      { prefix },
    )
  }
  await app.ready()
  return app
}

function createInstance(context: ServerContext, { connections }: Doorkeepers): FastifyInstance {
  const { read_timeout_secs, idle_timeout_secs } = context.config.server
  const app = Fastify({
    genReqId: (raw) => requestIdFrom(raw.headers['x-request-id']) ?? context.ids.hex(ID_BYTES),
    // The router shall find a route for everything that there is room for: what it refuses itself passes no hook.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    // While it stops, the server refuses in its own words.
    return503OnClosing: false,
    requestTimeout: read_timeout_secs * 1000,
    keepAliveTimeout: idle_timeout_secs * 1000,
    http: {
      headersTimeout: read_timeout_secs * 1000,
      requestTimeout: read_timeout_secs * 1000,
      connectionsCheckingInterval: SLOW_SENDER_CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // What Node would refuse by itself is refused by a hook, in our words.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerConnection({ error, socket, connections }, context),
  })
  // A client that asks first is told to go on when its body is wanted, which is not known yet.
  for (const event of ['checkContinue', 'checkExpectation']) {
    app.server.on(event, (request, response) => app.server.emit('request', request, response))
  }
  followConnections(app, connections)
  app.server.on('connect', (_request, socket: Socket) => {
    const error = requestMalformed({ problem: 'it asks for a tunnel (CONNECT), and this is no proxy' })
    answerConnection({ error, socket, connections }, context)
  })
  return app
}

function limiterOf({ config }: ServerContext): RateLimiter | undefined {
  const { rate_limit_enabled, rate_limit_rps, rate_limit_burst, rate_limit_cleanup_secs } = config.server
  if (!rate_limit_enabled) return undefined
  const limits = { rps: rate_limit_rps, burst: rate_limit_burst, forgetAfterMs: rate_limit_cleanup_secs * 1000 }
  return createRateLimiter(limits, () => performance.now())
}
