import { resolve } from 'node:path'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { type ApiKeys, loadApiKeys } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { readConfig } from '../../config/read-config.ts'
import type { Loss, Stores } from '../../executions/store/stores.ts'
import { findReadableSecrets } from '../../kit/process/processes-around.ts'
import { endAllProcesses } from '../../kit/process/running-processes.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { formatBackend } from '../../prompts/format-backend.ts'
import { isMissing } from '../../prompts/workdir-policy.ts'
import type { SettingsSource } from '../../service/administration.ts'
import { type BoundAddress, baseUrl, isLoopbackHost, type ListenAddress } from '../../service/server-address.ts'
import { Ending, startServerLife } from '../../service/start-and-stop.ts'
import { migratePostgres } from '../../store/postgres-database.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict, storeNotShared } from '../faults.ts'
import { BackgroundEnd } from '../local/background-server.ts'
import { callServer, SHORT_ANSWER_MS } from '../local/server-client.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { wrapOn } from '../output/wrap-words.ts'
import { findNamedConfig, findUserPaths, readSettings, refusePassword, toConfigEnvironment } from '../settings.ts'
import { createHttp } from './create-http.ts'
import { securityWarnings } from './security-warnings.ts'
import { createServerLog, type ServerLog } from './server-log.ts'
import { listenForSignals } from './server-signals.ts'
import {
  addressText,
  agentWarnings,
  type BannerFacts,
  describeCeilings,
  ELSEWHERE,
  isAsset,
  startupBanner,
} from './startup-banner.ts'

const DRAIN_MS = 30_000

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  refusePassword('--store', flags.text('store'))
  const { config, file, origins } = await readSettings(invocation, [
    { key: 'server.host', flag: '--host', value: flags.text('host') },
    { key: 'server.port', flag: '--port', value: flags.integer('port') },
    { key: 'store.url', flag: '--store', value: flags.text('store') },
  ])
  if (flags.isOn('no-work') && config.store.url === 'sqlite:') {
    throw storeNotShared({ command: 'drover serve --no-work' })
  }
  const address = readAddress(invocation, config)
  const readAgain = async () => (await readConfig(toConfigEnvironment(invocation))).config
  const readKeys = async () => (await readAgain()).server.keys
  const readBudgets = async () => (await readAgain()).budgets
  const configFile = { path: file.path, readKeys }
  const { env, cwd, readableVariables } = runtime
  const keys = await loadApiKeys({ env, readableVariables, cwd, server: config.server, configFile })
  const serverLog = await createServerLog(runtime, { isQuiet: flags.isOn('quiet') })
  const lost: Losses = { notify: () => {} }
  const { url, schema, migrate } = config.store
  if (migrate && url !== 'sqlite:') await migratePostgres({ url, schema })
  const stores = await openCommandStores(invocation, config, { onLost: (loss) => lost.notify(loss) })
  try {
    return await serve(invocation, {
      config,
      address,
      keys,
      stores,
      lost,
      source: { origins, file, readKeys, readBudgets },
      ...serverLog,
    })
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
  source: SettingsSource
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
  const { flags, runtime } = invocation
  const isBackground = flags.isOn('local')
  const { clock, terminal, drainMs = DRAIN_MS } = runtime
  const ending = new Ending()
  const { writeAccessLog } = parts
  const { consoleLogins: loginsFile, serverSocket } = findUserPaths(invocation)
  const http = await createHttp(invocation, {
    ...{ config, source: parts.source, stores, log, writeAccessLog, loginsFile, keys: keys.ring, ...ending.signals },
    isWorker: !flags.isOn('no-work'),
    logsPrompts: flags.isOn('log-prompts'),
    consoleDirectory: runtime.consoleDirectory,
    address: isBackground ? undefined : parts.address,
    portHelp: { command: nameServeCommand(invocation), listener: (port) => findOwnServer(invocation, port) },
    // A server without an address has nothing else to listen on.
    localSocket: isBackground || config.server.local_socket ? serverSocket : undefined,
    local: { isBackground, configFile: findNamedConfig(invocation), onStop: () => background.end() },
  })
  const { drover } = http
  parts.lost.notify = (loss) => drover.lose(loss)
  const background = new BackgroundEnd({ config, drover }, isBackground)
  const signals = listenForSignals({
    isOnTerminal: terminal.err.isTty,
    reload: () => {
      void keys.reload(log)
      void drover.reloadBudgets()
    },
    closeSessions: () => stores.sessions.close(),
  })
  const common = { drover, ending, config, clock, log }
  const life = await startServerLife({ ...common, face: http, cleansStore: true, takesWork: true })
  keys.watch(log)
  if (http.bound !== undefined) await terminal.out.write(createBanner(invocation, parts, { http, bound: http.bound }))

  const failure = await Promise.race([signals.stopped, background.ended, http.failed()])
  if (failure !== undefined) log.error({ reason: String(failure) }, 'the server can no longer listen, so it stops')
  else
    await terminal.err.write(
      'drover: stopping; waiting for running requests. Press Ctrl-C again to stop immediately.\n',
    )
  background.stop()
  await life.stop({ drainMs, endProcesses: () => endAllProcesses() })
  return failure === undefined ? 0 : 1
}

const SWITCHES = ['no-work', 'demo', 'verbose', 'quiet', 'log-prompts'] as const

/** With the flags that were given, besides the port. A user of `npm start` may not have drover in the path. */
function nameServeCommand({ runtime, flags }: Invocation): string {
  const isScript = runtime.env['npm_lifecycle_event'] === 'start'
  const values = ['host', 'store'].flatMap((name) => {
    const value = flags.text(name)
    return value === undefined ? [] : [`--${name} ${quoteWord(value)}`]
  })
  // The script has this flag itself.
  const switches = SWITCHES.filter((name) => flags.isOn(name) && !(isScript && name === 'demo'))
  return [isScript ? 'npm start --' : 'drover serve', ...values, ...switches.map((name) => `--${name}`)].join(' ')
}

/** That the server of this user listens on the port. */
async function findOwnServer(invocation: Invocation, port: number): Promise<string | undefined> {
  const call = { method: 'POST', path: '/local/console-link', answerMs: SHORT_ANSWER_MS } as const
  const link = await callServer(invocation, call).catch(() => undefined)
  const url = link?.['url']
  if (typeof url !== 'string' || Number(new URL(url).port) !== port) return undefined
  return 'your drover server is listening there already ("drover open" shows its console)'
}

function createBanner(
  { flags, runtime }: Invocation,
  { config, keys }: ServerParts,
  { http, bound }: { http: Awaited<ReturnType<typeof createHttp>>; bound: BoundAddress },
): string {
  const { localSocket, endpoints, drover } = http
  const { out } = runtime.terminal
  const { url, is_one_time: isOneTime } = http.consoleLink()
  const facts: BannerFacts = {
    ...{ config, bound, localSocket, endpoints },
    version: runtime.version(),
    isWorker: !flags.isOn('no-work'),
    isRoot: runtime.isRoot,
    missingDirectories: config.server.allowed_workdir_prefixes.filter(isMissing),
    readableSecrets: findReadableSecrets(runtime.env, runtime.readableVariables),
    hasKeys: keys.ring.isRequired,
    hasShortKey: keys.hasShortKey(),
    keySources: keys.sources,
    agents: drover.agents.list(),
    console: url === null ? undefined : { url, isOneTime, isBuilt: http.isConsoleBuilt },
  }
  if (flags.isOn('verbose')) return startupBanner(facts)
  return wrapOn(out, startupSummary(facts, { paint: (style, text) => out.style(style, text), isTty: out.isTty }))
}

/** `text` in the style `style`, or as it is where there are no colours. */
type Paint = (style: 'bold' | 'dim' | 'cyan' | 'yellow', text: string) => string

const MAX_WARNINGS = 4

/** Others may read what is not a terminal, so the link that logs in is shown only on one. */
export function startupSummary(facts: BannerFacts, { paint, isTty }: { paint: Paint; isTty: boolean }): string {
  const lines = [
    `${paint('bold', `drover ${facts.version}`)} listens on ${paint('cyan', addressText(facts))}`,
    ...consoleLines(facts, { paint, isTty }),
    `security   ${securityText(facts)}`,
    `agents     ${facts.isWorker ? agentTexts(facts) : ELSEWHERE}`,
    `endpoints  ${endpointsText(facts)} Press Ctrl-C to stop.`,
    ...warningLines(facts).map((line) => paint('yellow', line)),
  ]
  return `${lines.join('\n')}\n`
}

function consoleLines({ console, bound }: BannerFacts, { paint, isTty }: { paint: Paint; isTty: boolean }): string[] {
  if (console === undefined) return []
  if (!console.isBuilt) return ['console    not built in this clone; run "npm run build:console"']
  const link = isTty || !console.isOneTime ? console.url : `${baseUrl(bound)}/`
  const once = isTty
    ? ' (logs you in once, within 5 minutes; "drover open" prints another link)'
    : ' ("drover open" prints a link that logs you in)'
  return [`console    ${paint('cyan', link)}${paint('dim', console.isOneTime ? once : '')}`]
}

/** `sandbox.mode` is about prompts. Runs have a setting of their own. */
function sandboxText({ sandbox: { mode }, drive: { sandbox } }: BannerFacts['config']): string {
  if (mode !== 'off' || sandbox === 'off') return `sandbox.mode ${mode}, drive.sandbox ${sandbox}`
  return `prompts outside of a sandbox (sandbox.mode off), runs inside (drive.sandbox ${sandbox})`
}

function securityText(facts: BannerFacts): string {
  const { bound, hasKeys, config } = facts
  const { server } = config
  const state = (isOn: boolean) => (isOn ? 'enabled' : 'disabled')
  const isLocal = 'socket' in bound || isLoopbackHost(bound.host)
  return [
    `auth ${state(hasKeys)}${hasKeys || !isLocal ? '' : ' (only this machine can connect)'}`,
    `rate limit ${state(server.rate_limit_enabled)}`,
    `metrics ${state(server.metrics_enabled)}`,
    `trusted proxies ${server.trusted_proxies.join(' ') || 'none'}`,
    `bind host ${'socket' in bound ? 'none' : bound.host}`,
    `CORS origins ${server.cors_allowed_origins.join(' ') || 'none'}`,
    `ceilings ${describeCeilings(facts)}`,
    sandboxText(config),
  ].join(', ')
}

/** The beginnings of the paths. */
function endpointsText({ endpoints }: BannerFacts): string {
  const shown = endpoints.filter((endpoint) => !isAsset(endpoint))
  const starts = shown.map(({ path }) => /^(?:\/(?:api|openai|anthropic)\/v1|\/[^/]*)/.exec(path)?.[0] ?? path)
  const listed = [...new Set(starts)].filter((start) => start !== '/').join(', ')
  return `${listed} (${shown.length} in all, --verbose lists them with all settings).`
}

function agentTexts({ agents }: BannerFacts): string {
  const enabled = agents.filter(({ isEnabled }) => isEnabled)
  return enabled.map(agentText).join(', ') || 'none is enabled'
}

function agentText({ backend, program, isDemo }: AgentLocation): string {
  if (!isDemo && program === undefined) return `${backend} (not installed)`
  return formatBackend({ backend, is_demo: isDemo })
}

/** Warnings that do not fit are counted. */
function warningLines(facts: BannerFacts): string[] {
  const security = securityWarnings(facts).map(({ warning, suggestion }) => `! ${warning}; ${suggestion}`)
  const all = [...security, ...agentWarnings(facts)]
  if (all.length <= MAX_WARNINGS) return all
  const shown = all.slice(0, MAX_WARNINGS)
  return [...shown, `! ${all.length - shown.length} more; --verbose shows them`]
}
