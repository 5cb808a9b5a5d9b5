/** The HTTP server: Fastify with our guards and all endpoints. Errors are always sent in the format of the called API. */
import type { Server, Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { BackgroundRuns } from '../executions/background-runs.ts'
import { toJsonText } from '../kit/json/write-json.ts'
import { descriptorLimit } from '../kit/process/resources.ts'
import { toNetwork } from '../service/server-address.ts'
import { oncePerBurst } from './context/once-per-burst.ts'
import type { RegisterRoutes, ServerContext } from './context/server-context.ts'
import { requestMalformed } from './errors/faults.ts'
import { createLocalListener } from './listen.ts'
import { addBodyParser } from './request/body.ts'
import {
  type Connections,
  handleConnectionError,
  MAX_HEADER_BYTES,
  trackConnections,
} from './request/connection-errors.ts'
import { type ConnectionLimits, ConnectionSlots, connectionLimits } from './request/connection-slots.ts'
import { addRequestHooks, type Endpoint } from './request/hooks.ts'
import { peerAddress, requestIdFrom, trustedProxies } from './request/identify.ts'
import { OpenRequests } from './request/open-requests.ts'
import { rateLimiterFrom } from './request/rate-limit.ts'
import { sendError } from './request/send-error.ts'
import { routableUrl } from './request/target.ts'
import { ROUTES } from './routes.ts'

export type HttpServer = {
  app: FastifyInstance
  /** For the local socket. It does not listen yet. */
  localListener: Server
  /** In order of registration. `HEAD`, which every `GET` has, is not listed. */
  endpoints: readonly Endpoint[]
  connections: Connections
  handlers: RunningHandlers
  background: BackgroundRuns
}

type RunningHandlers = {
  /** Resolves when no handler is running. */
  idle(): Promise<void>
}

/** Node checks for slow clients at this interval, so a timeout may be late by as much. */
const TIMEOUT_CHECK_MS = 500

const REQUEST_ID_BYTES = 16

/** Creates a server that is ready to listen. `routes` are registered under the prefix that is their key. */
export async function createServer(
  context: ServerContext,
  routes: Readonly<Record<string, readonly RegisterRoutes[]>> = ROUTES,
): Promise<HttpServer> {
  const { server } = context.config
  const connections = trackConnections(createSlots(context), limitedAddress(server.trusted_proxies))
  const app = createFastify(context, connections)
  context.exposure.listensWith(app.server)
  const routed = collectRoutes(app)
  const handlers = trackHandlers(app)
  // Generated validators check requests in the endpoints. Fastify's own would coerce input.
  app.setValidatorCompiler(() => () => true)
  // Metadata may contain integers that only a bigint holds exactly.
  app.setReplySerializer(toJsonText)
  app.setErrorHandler((error, request, reply) => sendError({ error, request, reply }, context))
  addBodyParser(app, connections, context.jsonThread)
  addRequestHooks(app, context, {
    connections,
    rateLimiter: rateLimiterFrom(server, context.drover.opened.rateLimits),
    openRequests: new OpenRequests(context),
    routes: routed,
  })
  for (const [prefix, endpoints] of Object.entries(routes)) {
    await app.register(
      (scope, _options, done) => {
        for (const register of endpoints) register(scope, context)
        done()
      },
      { prefix },
    )
  }
  await app.ready()
  return {
    app,
    localListener: createLocalListener(app, connections),
    endpoints: routed.filter(({ method }) => method !== 'HEAD'),
    connections,
    handlers,
    background: context.drover.background,
  }
}

function createFastify(context: ServerContext, connections: Connections): FastifyInstance {
  const { read_timeout_secs, idle_timeout_secs, trusted_proxies } = context.config.server
  const app = Fastify({
    genReqId: (raw) => requestIdFrom(raw.headers) ?? context.ids.hex(REQUEST_ID_BYTES),
    // Fastify answers a longer path parameter without running a hook, so every length must be allowed.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    trustProxy: trustedProxies(trusted_proxies),
    // During shutdown a hook sends our own 503.
    return503OnClosing: false,
    requestTimeout: read_timeout_secs * 1000,
    keepAliveTimeout: idle_timeout_secs * 1000,
    http: {
      headersTimeout: read_timeout_secs * 1000,
      requestTimeout: read_timeout_secs * 1000,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A hook sends our own 400.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => handleConnectionError({ error, socket, connections }, context),
  })
  // Node would send "100 Continue" at once. A hook sends it after all other guards.
  for (const event of ['checkContinue', 'checkExpectation']) {
    app.server.on(event, (request, response) => app.server.emit('request', request, response))
  }
  app.server.on('connection', connections.opened)
  app.server.on('connect', (_request, socket: Socket) => {
    const error = requestMalformed({ problem: 'it asks for a tunnel (CONNECT), and this server is not a proxy' })
    handleConnectionError({ error, socket, connections }, context)
  })
  return app
}

function createSlots({ config, log }: ServerContext): ConnectionSlots {
  const { max_connections: configured } = config.server
  const limits = connectionLimits(config.server, descriptorLimit())
  if (configured > limits.total) {
    log.warn({ configured, used: limits.total }, 'the process may open too few files for server.max_connections')
  }
  const note = oncePerBurst((over: keyof ConnectionLimits) =>
    log.warn({ limit: limits[over] }, 'the connection limit is reached: idle connections are closed, new ones refused'),
  )
  return new ConnectionSlots(limits, note)
}

/** Behind a proxy, and on a Unix socket, one address has the connections of many clients. */
function limitedAddress(proxies: readonly string[]): (socket: Socket) => string | undefined {
  const isProxy = trustedProxies(proxies) || (() => false)
  return ({ remoteAddress }) => {
    const address = peerAddress(remoteAddress)
    return remoteAddress === undefined || isProxy(address) ? undefined : toNetwork(address)
  }
}

/** Lists the routes that are registered from now on. */
function collectRoutes(app: FastifyInstance): Endpoint[] {
  const routes: Endpoint[] = []
  app.addHook('onRoute', ({ url: path, method }) => {
    for (const each of [method].flat()) routes.push({ method: each, path })
  })
  return routes
}

/**
 * Counts the handlers that are still running, of routes that are registered from now on. When a client disconnects, its connection
 * is gone at once, but its handler still ends the agent and saves the session. The server must not exit before that.
 */
function trackHandlers(app: FastifyInstance): RunningHandlers {
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
