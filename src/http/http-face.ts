/** The HTTP server as a face of drover: what `drover serve`, `drover mcp` and programs start. */
import { once } from 'node:events'
import type { KeyRing } from '../config/api-keys.ts'
import { settleKeysOfDriven } from '../drive/record/driven-records.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { Log } from '../kit/log.ts'
import { raceTime } from '../kit/race.ts'
import { shuttingDown } from '../prompts/faults.ts'
import type { ConsoleLink } from '../service/local-protocol.ts'
import type { ServedDrover } from '../service/served.ts'
import { type BoundAddress, baseUrl, type ListenAddress } from '../service/server-address.ts'
import type { Face } from '../service/start-and-stop.ts'
import { createContext, type ServerInputs } from './context/create-context.ts'
import { CONSOLE_USER } from './context/logins.ts'
import type { ServerContext } from './context/server-context.ts'
import { closeLocally, listen, listenAtHome, listenLocally, type PortHelp } from './listen.ts'
import { type LocalOptions, localEndpoints } from './local/local-endpoints.ts'
import { isConsoleBuilt } from './meta/console.ts'
import { withMetrics } from './meta/metrics.ts'
import { ROUTES } from './routes.ts'
import { createServer, type HttpServer } from './server.ts'

/** What the program passes to the server at start-up. */
export type HttpInputs = ServerInputs & {
  /** Undefined: only programs of this user reach it, through its socket. */
  address?: ListenAddress | undefined
  portHelp?: PortHelp
  /** The socket for programs of this user. A server without an address must have it. */
  localSocket?: string | undefined
  /** What commands of the user can ask of it. Undefined: nothing. */
  local?: Omit<LocalOptions, 'consoleLink'>
}

export async function createHttpFace(inputs: HttpInputs): Promise<HttpFace> {
  const context = await withTracing(await withMetrics(createContext(inputs)))
  const { local } = inputs
  if (local === undefined) return new HttpFace(inputs, context, await createServer(context))
  const consoleLink = () => face.consoleLink()
  const server = await createServer(context, { ...ROUTES, '/local': [localEndpoints({ ...local, consoleLink })] })
  const face = new HttpFace(inputs, context, server)
  return face
}

/** What it needs is loaded before the first request, which must not wait for it. */
async function withTracing(context: ServerContext): Promise<ServerContext> {
  const telemetry = await context.drover.telemetry?.open()
  if (telemetry === undefined) return context
  const { createRequestTracer } = await import('./request/trace-request.ts')
  return { ...context, traceRequest: createRequestTracer(telemetry) }
}

export class HttpFace implements Face {
  readonly drover: ServedDrover
  /** Where it listens. Undefined before `open`, and without an address. */
  bound: BoundAddress | undefined
  /** Undefined if there can be no local socket. */
  localSocket: string | undefined
  readonly #inputs: HttpInputs
  readonly #context: ServerContext
  readonly #server: HttpServer

  constructor(inputs: HttpInputs, context: ServerContext, server: HttpServer) {
    this.#inputs = inputs
    this.#context = context
    this.#server = server
    this.drover = context.drover
  }

  async open(): Promise<void> {
    const { stores, keys, directories, log, address, portHelp, localSocket: path } = this.#inputs
    await settleKeys({ stores, keys, drivenRuns: directories.drivenRuns, log })
    const { app, localListener } = this.#server
    if (address !== undefined) this.bound = await listen(app.server, address, portHelp)
    if (this.bound !== undefined && this.#context.config.server.console)
      this.drover.announcements.localUrl = baseUrl(this.bound)
    if (path === undefined) return
    if (address === undefined) await listenAtHome(localListener, path)
    else if (await listenLocally(localListener, path, log)) this.localSocket = path
  }

  async drain(drainMs: number, endAgents: () => Promise<void>): Promise<void> {
    await drain(this.#server, { drainMs, graceMs: GRACE_MS }, endAgents)
  }

  /** Resolves with the reason when it can no longer listen. */
  async failed(): Promise<unknown> {
    const [reason] = await once(this.#server.app.server, 'error')
    return reason
  }

  get endpoints(): HttpServer['endpoints'] {
    return this.#server.endpoints
  }

  get isConsoleBuilt(): boolean {
    return isConsoleBuilt(this.#context.consoleDirectory)
  }

  /** The address of the console. With API keys it is a link that logs the user of the server in, once. */
  consoleLink(): ConsoleLink {
    const { config, keys, logins } = this.#context
    if (this.bound === undefined || 'socket' in this.bound || !config.server.console) {
      return { url: null, is_one_time: false }
    }
    const page = `${baseUrl(this.bound)}/`
    if (!keys.isRequired) return { url: page, is_one_time: false }
    return { url: `${page}#/open/${logins.createLink()}`, is_one_time: true }
  }
}

/** For agents to end, then for responses to be sent, then for the handlers of disconnected clients to finish. */
const GRACE_MS = 3000

type Parts = { stores: Pick<Stores, 'settleKeys'>; keys: KeyRing; drivenRuns: string; log: Log }

const NO_OWNER =
  'sessions from before keys had ids belong to no key: only operators and the user of this machine see them'
const NO_KEY =
  'executions of keys that no longer exist belong to no key: only operators and the user of this machine see them'

/**
 * Decides whom everything belongs to that was stored when keys had only names. The first server with keys that starts after
 * the upgrade does it, once. A key that the config gives no id is older than ids, so it keeps what has its name. A later key
 * has an id, and gets nothing of a key that had its name.
 */
export async function settleKeys({ stores, keys, drivenRuns, log }: Parts): Promise<void> {
  if (!keys.isRequired) return
  const old = [...keys.withoutOwnId(), CONSOLE_USER]
  const ids = new Map(old.map(({ name, id }) => [name, id]))
  const { sessions, executions, adopted } = await stores.settleKeys(ids)
  settleKeysOfDriven(drivenRuns, ids)
  if (adopted > 0)
    log.info({ executions: adopted }, 'executions from before keys had ids belong to the keys of their names')
  if (executions > 0) log.warn({ executions }, NO_KEY)
  if (sessions > 0) log.warn({ sessions }, NO_OWNER)
}

type DrainLimits = {
  /** For running requests to finish. */
  drainMs: number
  /** For agents to end, then for responses to be sent, then for the handlers of disconnected clients to finish. */
  graceMs: number
}

const CLOSE_IDLE_MS = 100

/**
 * Shuts the server down: running requests may finish, and those that do not finish in time are canceled. Resolves when no
 * connection is open and no handler is running, or when all time limits have passed. Calls `endAgents` once: when all
 * requests have finished, or when their time is over.
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
