import { once } from 'node:events'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type RequestOptions, request as send } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ApiKeys, loadApiKeys } from '../../src/config/api-keys.ts'
import { findPaths, listPrivateFiles } from '../../src/config/paths.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { openStores } from '../../src/executions/store/open-stores.ts'
import type { Loss, Stores } from '../../src/executions/store/stores.ts'
import { createContext } from '../../src/http/context/create-context.ts'
import type { RegisterRoutes, RequestDone, ServerContext } from '../../src/http/context/server-context.ts'
import { settleKeys } from '../../src/http/http-face.ts'
import { withMetrics } from '../../src/http/meta/metrics.ts'
import { createServer, type HttpServer } from '../../src/http/server.ts'
import { type Clock, systemClock } from '../../src/kit/clock.ts'
import { type Ids, randomIds } from '../../src/kit/ids.ts'
import type { AccessEntry, Log } from '../../src/kit/log.ts'
import { copyEmptyStore } from './empty-store.ts'
import { installFakeAgents } from './fake-agent.ts'
import { createPostgresDatabase } from './postgres.ts'
import { DROVER, temporaryDirectory } from './run-drover.ts'
import { sandboxParts } from './sandbox-parts.ts'
import { installWarmAgents } from './warm-agents.ts'

/** In the bundle that the tests run, programs start faster than from sources. It has the built console too. */
const DEMO_AGENT = join(dirname(DROVER), 'demo-agent.cjs')
const JSON_THREAD = join(dirname(DROVER), 'json-thread.cjs')
const CONSOLE = join(dirname(DROVER), '..', 'dist', 'console')

/** `npm run test:postgres` runs all tests of the server on PostgreSQL. */
export const IS_ON_POSTGRES = process.env['DROVER_TEST_STORE'] === 'postgres'

export type ServerOptions = {
  /** The `server` section of the config. */
  server?: Record<string, unknown>
  /** Other sections of the config. */
  config?: Record<string, unknown>
  env?: Record<string, string>
  /** Further variables, which may name files in the working directory. */
  envIn?: (workdir: string) => Record<string, string>
  /** Replaces parts of the store. */
  changeStores?: (stores: Stores) => Stores
  /** Replaces parts of the real context. */
  context?: Partial<ServerContext>
  /** The routes to serve instead of the real ones, by prefix. */
  routes?: Readonly<Record<string, readonly RegisterRoutes[]>>
  /** What runs the prompts: the fake agent on PATH (the default), the demo agent, scripted agents that stay up, or nothing. */
  agents?: 'fake' | 'demo' | 'warm' | 'none'
  host?: string
  /** Listens on a Unix socket instead. */
  isOnSocket?: boolean
  /** Where the ids of sessions come from. */
  ids?: Ids
  clock?: Clock
  /** The address of a PostgreSQL store. The default is a SQLite file. */
  postgres?: { url: string; machine?: string; deadAfterMs?: number; statementMs?: number }
  /** How long an operation tries again while the store fails. */
  storeWaitMs?: number
  /** With PostgreSQL: the server only takes requests. */
  isWorker?: boolean
}

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown }

export type TestServer = {
  url: string
  port: number
  /** drover's per-user directory, and an empty working directory. */
  home: string
  workdir: string
  context: ServerContext
  keys: ApiKeys
  http: HttpServer
  /** The access log, the other log, and the finished requests, in order. */
  access: AccessEntry[]
  logged: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[]
  done: RequestDone[]
  shutdown: AbortController
  drainDeadline: AbortController
  /** Replaces `server.keys` in the config file, which the server reads again. */
  changeKeys(keys: readonly object[]): Promise<void>
  request(path: string, options?: RequestOptions & { body?: unknown }): Promise<Answer>
  /** Opens a bare connection, to send what no HTTP client would. */
  connect(): Promise<RawConnection>
}

/** Starts the server in this process, on a free port, with a temporary home. It is closed when the test ends. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const home = realpathSync(temporaryDirectory())
  const [droverHome, workdir] = [join(home, '.drover'), join(home, 'work')]
  mkdirSync(droverHome)
  mkdirSync(workdir)
  // JSON is YAML.
  const sections = { warm: { enabled: false }, ...options.config, server: options.server ?? {} }
  const configPath = join(droverHome, 'config.yaml')
  writeFileSync(configPath, JSON.stringify(sections))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const { agents = 'fake', clock = systemClock } = options
  if (agents === 'fake') installFakeAgents(bin)
  if (agents === 'warm') installWarmAgents(bin)
  const env = environmentFor(options, { home, bin, workdir })
  const { config, origins, file } = await readConfig({ env, homeDirectory: home, cwd: workdir })
  const readAgain = async () => (await readConfig({ env, homeDirectory: home, cwd: workdir })).config
  const readKeys = async () => (await readAgain()).server.keys
  const readBudgets = async () => (await readAgain()).budgets
  const configFile = { path: configPath, readKeys }
  const keys = await loadApiKeys({ env, readableVariables: [], cwd: workdir, server: config.server, configFile })
  const lost = { notify: (_loss: Loss) => {} }
  const opened = await openStores({
    ...(await storePlace(droverHome, options, (loss) => lost.notify(loss))),
    clock,
    ids: options.ids ?? randomIds,
  })
  const paths = findPaths({ env, homeDirectory: home, cwd: workdir })
  const stores = options.changeStores?.(opened) ?? opened
  const [shutdown, drainDeadline] = [new AbortController(), new AbortController()]
  const seen: Pick<TestServer, 'access' | 'logged' | 'done'> = { access: [], logged: [], done: [] }
  const context = await withMetrics({
    ...createContext({
      config,
      source: { origins, file, readKeys, readBudgets },
      version: '1.2.3',
      env,
      cwd: workdir,
      isRoot: false,
      sandbox: sandboxParts(droverHome),
      demo: agents === 'demo' ? [process.execPath, DEMO_AGENT] : undefined,
      demoAgent: [process.execPath, DEMO_AGENT],
      clock,
      keys: keys.ring,
      stores,
      directories: paths,
      privateFiles: listPrivateFiles(paths, { cwd: workdir }),
      shutdown: shutdown.signal,
      drainDeadline: drainDeadline.signal,
      log: createTestLog(seen.logged),
      writeAccessLog: (entry) => seen.access.push(entry),
      logsPrompts: false,
      jsonThread: JSON_THREAD,
      consoleDirectory: CONSOLE,
      loginsFile: join(droverHome, 'console-logins.json'),
      ...(options.isWorker !== undefined && { isWorker: options.isWorker }),
    }),
    observer: { requestDone: (done) => seen.done.push(done) },
    ...options.context,
  })
  lost.notify = (loss) => context.drover.lose(loss)
  const http = await createServer(context, options.routes)
  const { app } = http
  await settleKeys({ stores, keys: keys.ring, drivenRuns: join(droverHome, 'driven-runs'), log: context.log })
  // With PostgreSQL, workers publish their runs from their start on.
  if (stores.queue !== undefined) await context.drover.begin()
  const { host = '127.0.0.1' } = options
  const socketPath = options.isOnSocket === true ? join(home, 'drover.sock') : undefined
  app.server.listen(socketPath === undefined ? { host, port: 0 } : { path: socketPath })
  await once(app.server, 'listening')
  onTestFinished(async () => {
    shutdown.abort()
    app.server.closeAllConnections()
    await app.close()
    keys.close()
    await context.drover.warm?.close()
    drainDeadline.abort()
    await context.drover.worker?.stop()
    await http.background.idle()
    await context.drover.runs.close?.()
    await context.drover.records.close()
    await opened.sessions.close()
  })
  const bound = app.server.address() as AddressInfo | string
  const { address, port } = typeof bound === 'string' ? { address: '', port: 0 } : bound
  const reached =
    socketPath === undefined ? { host: address === '0.0.0.0' ? '127.0.0.1' : address, port } : { socketPath }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    home: droverHome,
    workdir,
    context,
    keys,
    http,
    ...seen,
    shutdown,
    drainDeadline,
    changeKeys: async (list) => {
      writeFileSync(configPath, JSON.stringify({ ...sections, server: { ...sections.server, keys: list } }))
      await keys.reload(context.log)
    },
    request: (path, requestOptions = {}) => ask({ ...reached, path, ...requestOptions }),
    connect: () => connectTo(socketPath === undefined ? { host: '127.0.0.1', port } : { path: socketPath }),
  }
}

/** Without fake agents PATH is empty, because this machine may have real ones. */
function environmentFor(
  { agents = 'fake', env, envIn }: ServerOptions,
  { home, bin, workdir }: { home: string; bin: string; workdir: string },
): Record<string, string> {
  const PATH = agents === 'fake' || agents === 'warm' ? `${bin}:/usr/bin:/bin` : bin
  return { PATH, HOME: home, DEMO_AGENT_WORD_MS: '0', ...env, ...envIn?.(workdir) }
}

async function storePlace(home: string, { postgres, storeWaitMs }: ServerOptions, onLost: (loss: Loss) => void) {
  const wait = storeWaitMs === undefined ? {} : { waitMs: storeWaitMs }
  if (postgres === undefined && !IS_ON_POSTGRES) {
    const path = join(home, 'sessions.db')
    copyEmptyStore(path)
    return { path, ...wait }
  }
  const url = postgres?.url ?? (await createPostgresDatabase())
  return { postgres: { url, machine: 'here', deadAfterMs: 20_000, onLost, ...postgres }, ...wait }
}

/** Sends one request on its own connection. A body that is neither text nor bytes is sent as JSON. */
export function ask({ body, headers, ...options }: RequestOptions & { body?: unknown }): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const payload = body === undefined || isRaw ? body : JSON.stringify(body)
  const type = body === undefined || isRaw ? {} : { 'content-type': 'application/json' }
  const length = payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }
  const target = { host: options.socketPath === undefined ? '127.0.0.1' : undefined, agent: false, ...options }
  return new Promise((resolve, reject) => {
    const outgoing = send({ ...target, headers: { ...type, ...length, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }),
      )
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type RawConnection = {
  socket: Socket
  write(text: string): void
  /** Everything received so far. */
  heard(): string
  /** Waits until the server has closed the connection, and returns everything it sent. */
  ended(): Promise<string>
}

async function connectTo(target: { host: string; port: number } | { path: string }): Promise<RawConnection> {
  const socket = connect(target)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => (text += chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    write: (bytes) => void socket.write(bytes, 'latin1'),
    heard: () => text,
    ended: async () => {
      await closed
      return text
    },
  }
}

function createTestLog(logged: TestServer['logged'], bound: object = {}): Log {
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields: { ...bound, ...fields } })
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => createTestLog(logged, { ...bound, ...fields }),
  }
}
