import { once } from 'node:events'
import { resolve } from 'node:path'
import { type ApiKeys, loadApiKeys } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Loss, Stores } from '../../executions/store/open-stores.ts'
import type { ServerContext } from '../../http/context/server-context.ts'
import { drain } from '../../http/drain.ts'
import { type BoundAddress, type ListenAddress, listen } from '../../http/listen.ts'
import { listenAtHome, listenLocally } from '../../http/local-socket.ts'
import { isConsoleBuilt } from '../../http/meta/console.ts'
import { withMetrics } from '../../http/metrics/create-metrics.ts'
import { ROUTES } from '../../http/routes.ts'
import { createServer, type HttpServer } from '../../http/server.ts'
import { settleKeys } from '../../http/settle-key-owners.ts'
import { type BannerFacts, startupBanner } from '../../http/startup-banner.ts'
import { startupSummary } from '../../http/startup-summary.ts'
import { findReadableSecrets } from '../../kit/process/readable-secrets.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { Ending, startServerLife } from '../../service/server-life.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { BackgroundEnd } from '../local/background-end.ts'
import { localEndpoints } from '../local/local-endpoints.ts'
import { wrapOn } from '../output/terminal-wrap.ts'
import { openUserStores } from '../sessions/open-sessions.ts'
import { findUserPaths, readSettings, toConfigEnvironment } from '../settings.ts'
import { refusePassword } from '../store/refuse-password.ts'
import { consoleLinkFor } from './console-link.ts'
import { createServerContext } from './create-server-context.ts'
import { storeNotShared } from './faults.ts'
import { createServerLog, type ServerLog } from './server-log.ts'
import { listenForSignals } from './server-signals.ts'

const DRAIN_MS = 30_000
const GRACE_MS = 3000

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  refusePassword('--store', flags.text('store'))
  const { config, file } = await readSettings(invocation, [
    { key: 'server.host', flag: '--host', value: flags.text('host') },
    { key: 'server.port', flag: '--port', value: flags.integer('port') },
    { key: 'store.url', flag: '--store', value: flags.text('store') },
  ])
  if (flags.isOn('no-work') && config.store.url === 'sqlite:') {
    throw storeNotShared({ command: 'drover serve --no-work' })
  }
  const address = readAddress(invocation, config)
  const readKeys = async () => (await readConfig(toConfigEnvironment(invocation))).config.server.keys
  const configFile = { path: file.path, readKeys }
  const { env, cwd, readableVariables } = runtime
  const keys = await loadApiKeys({ env, readableVariables, cwd, server: config.server, configFile })
  const serverLog = await createServerLog(runtime, { isQuiet: flags.isOn('quiet') })
  const lost: Losses = { notify: () => {} }
  const stores = await openUserStores(invocation, config, { onLost: (loss) => lost.notify(loss) })
  try {
    return await serve(invocation, { config, address, keys, stores, lost, ...serverLog })
  } finally {
    keys.close()
    await stores.sessions.close()
  }
}

/** Told when other machines have taken over from this process, or may have. */
export type Losses = { notify: (loss: Loss) => void }

type ServerParts = ServerLog & {
  config: Config
  address: ListenAddress
  keys: ApiKeys
  stores: Stores
  lost: Losses
}

function readAddress({ flags, runtime }: Invocation, config: Config): ListenAddress {
  const socket = flags.text('socket')
  if (socket === undefined) return { host: config.server.host, port: config.server.port }
  const other = ['host', 'port'].find((name) => flags.text(name) !== undefined || flags.integer(name) !== undefined)
  if (other !== undefined) throw flagsConflict({ flags: ['--socket', `--${other}`] })
  return { socket: resolve(runtime.cwd, socket) }
}

async function serve(invocation: Invocation, parts: ServerParts): Promise<number> {
  const { config, keys, stores, log } = parts
  const isBackground = invocation.flags.isOn('local')
  const { clock, terminal, drainMs = DRAIN_MS } = invocation.runtime
  const ending = new Ending()
  const { writeAccessLog } = parts
  const context = await withMetrics(
    createServerContext(invocation, {
      ...{ config, stores, log, writeAccessLog, keys: keys.ring, ...ending.signals },
      isWorker: !invocation.flags.isOn('no-work'),
      logsPrompts: invocation.flags.isOn('log-prompts'),
      consoleDirectory: invocation.runtime.consoleDirectory,
      loginsFile: findUserPaths(invocation).consoleLogins,
    }),
  )
  parts.lost.notify = (loss) => context.drover.lose(loss)
  const background = new BackgroundEnd(context, isBackground)
  const doors: { bound?: BoundAddress | undefined; localSocket?: string | undefined } = {}
  const local = localEndpoints({
    isBackground,
    onStop: () => background.end(),
    consoleLink: () => consoleLinkFor(context, doors.bound),
  })
  const server = await createServer(context, { ...ROUTES, '/local': [local] })
  const { server: listener } = server.app
  const open = async () => {
    const { drivenRuns } = findUserPaths(invocation)
    await settleKeys({ stores, keys: keys.ring, drivenRuns, log })
    doors.bound = isBackground ? undefined : await listen(listener, parts.address, nameServeCommand(invocation))
    doors.localSocket = await openLocalSocket(invocation, parts, server)
  }
  const { drover } = context
  const signals = listenForSignals({
    isOnTerminal: terminal.err.isTty,
    reload: () => void keys.reload(log),
    closeSessions: () => stores.sessions.close(),
  })
  const life = await startServerLife({ drover, ending, config, clock, log, open, cleansStore: true, takesWork: true })
  keys.watch(log)
  const { bound, localSocket } = doors
  if (bound !== undefined) {
    await terminal.out.write(bannerOf(invocation, server, { context, bound, localSocket, keys }))
  }

  const failure = await Promise.race([signals.stopped, background.ended, once(listener, 'error')])
  if (failure !== undefined) log.error({ reason: String(failure[0]) }, 'the server can no longer listen, so it stops')
  else await terminal.err.write('drover: stopping; waiting for running requests. Press Ctrl+C again to stop at once.\n')
  background.stop()
  const limits = { drainMs, graceMs: GRACE_MS }
  await life.stop({
    drain: (endAgents) => drain(server, limits, endAgents),
    endProcesses: () => endAllProcesses(),
  })
  return failure === undefined ? 0 : 1
}

/** A user of `npm start` may not have drover in the path. */
function nameServeCommand({ runtime }: Invocation): string {
  return runtime.env['npm_lifecycle_event'] === 'start' ? 'npm start --' : 'drover serve'
}

async function openLocalSocket(
  invocation: Invocation,
  { config, log }: ServerParts,
  { localListener }: HttpServer,
): Promise<string | undefined> {
  const path = findUserPaths(invocation).serverSocket
  // A server without an address has nothing else to listen on.
  if (invocation.flags.isOn('local')) return void (await listenAtHome(localListener, path))
  return config.server.local_socket && (await listenLocally(localListener, path, log)) ? path : undefined
}

function bannerOf(
  { flags, runtime }: Invocation,
  { endpoints }: HttpServer,
  facts: Pick<BannerFacts, 'bound' | 'localSocket'> & { context: ServerContext; keys: ApiKeys },
): string {
  const { context, keys, ...rest } = facts
  const { out } = runtime.terminal
  const isShort = out.isTty && !flags.isOn('verbose')
  const all: BannerFacts = {
    version: context.version,
    config: context.config,
    ...rest,
    isRoot: runtime.isRoot,
    readableSecrets: findReadableSecrets(runtime.env, runtime.readableVariables),
    hasKeys: keys.ring.isRequired,
    hasShortKey: keys.hasShortKey(),
    keySources: keys.sources,
    agents: context.drover.agents.list(),
    endpoints,
    console: consoleFacts(context, facts.bound),
  }
  return isShort
    ? wrapOn(
        out,
        startupSummary(all, (style, text) => out.style(style, text)),
      )
    : startupBanner(all)
}

function consoleFacts(context: ServerContext, bound: BoundAddress): BannerFacts['console'] {
  const { url, is_one_time: isOneTime } = consoleLinkFor(context, bound)
  return url === null ? undefined : { url, isOneTime, isBuilt: isConsoleBuilt(context.consoleDirectory) }
}
