/** The HTTP server in a program. It has its own limits and ceilings, as with `drover serve`, and no local socket. */
import { type ApiKeys, loadApiKeys } from '../config/api-keys.ts'
import { listPrivateFiles } from '../config/paths.ts'
import { createHttpFace } from '../http/http-face.ts'
import { systemClock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { redactFields } from '../kit/redact.ts'
import { baseUrl } from '../service/server-address.ts'
import { Ending, startServerLife } from '../service/start-and-stop.ts'
import { demoAgent, type OpenedInstance } from './instance.ts'
import { besidePackage, packageVersion } from './package.ts'
import type { LogLine, RunningServer, ServeOptions } from './types.ts'

/** A program that closes its server wants to keep running. */
const DRAIN_MS = 5000

export async function serve(opened: OpenedInstance, options: ServeOptions): Promise<RunningServer> {
  const { config, paths, env, cwd, source, readableVariables } = opened
  const configFile = { path: paths.config, readKeys: source.readKeys }
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
  const { host = config.server.host, port = config.server.port } = options
  const http = await createHttpFace({
    ...{ config, env, cwd, stores, log, version: packageVersion(), source: opened.source },
    isRoot: opened.isRoot,
    demo: opened.demo,
    demoAgent: demoAgent(),
    sandbox: opened.sandbox,
    keys: keys.ring,
    directories: paths,
    machineSandbox: await opened.drover.machineSandbox(),
    privateFiles: listPrivateFiles(paths, { cwd, keysFile: env['DROVER_API_KEYS_FILE'] }),
    ...ending.signals,
    writeAccessLog: (entry) => log.info(entry, 'request'),
    logsPrompts: false,
    jsonThread: besidePackage('bin/json-thread.cjs'),
    consoleDirectory: besidePackage('dist/console/'),
    address: { host, port },
  })
  const { drover } = http
  opened.onLost((loss) => drover.lose(loss))
  const common = { drover, ending, config, clock: systemClock, log }
  const life = await startServerLife({ ...common, face: http, cleansStore: true, takesWork: true })
  keys.watch(log)
  let closing: Promise<void> | undefined
  const close = async () => {
    keys.close()
    // Prompts of the program itself keep running.
    await life.stop({ drainMs: DRAIN_MS })
  }
  return {
    url: http.bound === undefined ? '' : baseUrl(http.bound),
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
