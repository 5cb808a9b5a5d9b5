/** The HTTP server in a program. It has its own limits and ceilings, as with `drover serve`, and no local socket. */
import { type ApiKeys, loadApiKeys } from '../config/api-keys.ts'
import { listPrivateFiles } from '../config/paths.ts'
import { createContext } from '../http/context/create-context.ts'
import { drain } from '../http/drain.ts'
import { baseUrl, listen } from '../http/listen.ts'
import { withMetrics } from '../http/metrics/create-metrics.ts'
import { createServer } from '../http/server.ts'
import { settleKeys } from '../http/settle-key-owners.ts'
import { systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { redactFields } from '../kit/redact.ts'
import { Ending, startServerLife } from '../service/server-life.ts'
import { besidePackage, demoAgent, type OpenedInstance } from './instance.ts'
import { packageVersion } from './package-version.ts'
import type { LogLine, RunningServer, ServeOptions } from './types.ts'

/** A program that closes its server wants to keep running. */
const DRAIN_MS = 5000
const GRACE_MS = 3000

export async function serve(opened: OpenedInstance, options: ServeOptions): Promise<RunningServer> {
  const { config, paths, env, cwd, readKeys, readableVariables } = opened
  const configFile = { path: paths.config, readKeys }
  const keys = await loadApiKeys({ env, readableVariables, cwd, server: config.server, configFile })
  try {
    return await start(opened, options, keys)
  } catch (error) {
    keys.close()
    throw error
  }
}

async function start(opened: OpenedInstance, options: ServeOptions, keys: ApiKeys): Promise<RunningServer> {
  const { config, paths, env, cwd } = opened
  const log = createLog(options.onLog)
  const stores = await opened.drover.stores()
  const ending = new Ending()
  const context = await withMetrics(
    createContext({
      config,
      version: packageVersion(),
      env,
      cwd,
      isRoot: opened.isRoot,
      demo: opened.demo,
      demoAgent: demoAgent(),
      keys: keys.ring,
      stores,
      directories: paths,
      privateFiles: listPrivateFiles(paths, { cwd, keysFile: env['DROVER_API_KEYS_FILE'] }),
      ...ending.signals,
      log,
      writeAccessLog: (entry) => log.info(entry, 'request'),
      logsPrompts: false,
      jsonThread: besidePackage('bin/json-thread.cjs'),
      consoleDirectory: besidePackage('dist/console/'),
    }),
  )
  opened.onLost((loss) => context.drover.lose(loss))
  const server = await createServer(context)
  const { host = config.server.host, port = config.server.port } = options
  const door: { url?: string } = {}
  const open = async () => {
    await settleKeys({ stores, keys: keys.ring, drivenRuns: paths.drivenRuns, log })
    door.url = baseUrl(await listen(server.app.server, { host, port }))
  }
  const { drover } = context
  const common = { drover, ending, config, clock: systemClock, log, open }
  const life = await startServerLife({ ...common, cleansStore: true, takesWork: true })
  keys.watch(log)
  let closing: Promise<void> | undefined
  const close = async () => {
    keys.close()
    const limits = { drainMs: DRAIN_MS, graceMs: GRACE_MS }
    // Prompts of the program itself keep running.
    await life.stop({ drain: (endAgents) => drain(server, limits, endAgents) })
  }
  return {
    url: door.url ?? '',
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Without credentials, as the log of `drover serve`. */
function createLog(onLog: ((line: LogLine) => void) | undefined, bound: object = {}): Log {
  const write = (level: LogLine['level']) => (fields: object, message: string) =>
    onLog?.({ level, message, fields: redactFields({ ...bound, ...fields }) as Record<string, unknown> })
  return {
    debug: () => {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => createLog(onLog, { ...bound, ...fields }),
  }
}
