/** The server that `drover up` starts, for commands that need one. */
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.shape.ts'
import { findKey, findMap } from '../../config/setting-keys.ts'
import { toOwnEnvironment } from '../../kit/process/child-environment.ts'
import { DEPTH_VARIABLE } from '../../kit/process/environment-variables.ts'
import { startDetached } from '../../kit/process/process.ts'
import { identifyProcess, isAlive } from '../../kit/process/process-tree.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { listSome } from '../../kit/wording.ts'
import { differingSettings, digestOfSettings, type LocalStatus } from '../../service/local-protocol.ts'
import type { ServedDrover } from '../../service/served.ts'
import type { Invocation } from '../command.ts'
import { findNamedConfig } from '../settings.ts'
import { localServerBusy, localServerDiffers, localServerNotEnded, localServerNotStarted } from './faults.ts'
import { askStatus } from './local-server.ts'
import { callServer } from './server-client.ts'

/** It also ends when the server does, so a slow machine only has to wait longer. */
const START_MS = 60_000
const POLL_MS = 20
/** A server that stops waits this long for its prompts, and a little longer for their agents. */
const END_MS = 40_000

/** The server that works as this command would; starts one if there is none. */
export async function requireServer(invocation: Invocation, config: Config): Promise<LocalStatus> {
  const status = (await askStatus(invocation)) ?? (await startBackground(invocation))
  if (!worksAlike(status, invocation, config))
    throw localServerDiffers({
      pid: status.pid,
      difference: describeDifference(status, invocation, config),
      remedy: remedyOf(status, invocation, 'stop it with "drover down"'),
    })
  return status
}

/** How the server differs from this command: its version, or the names of settings. */
export function describeDifference(status: LocalStatus, { runtime }: Invocation, config: Config): string {
  const version = runtime.version()
  if (status.version !== version) return `the version ${status.version}, and this command is ${version}`
  const names = differingSettings(status, config) ?? []
  if (names.length === 0) return 'other settings'
  return `other settings: ${listSome(names, MAX_NAMED)}`
}

/** A config of another project may differ in all of its settings. */
const MAX_NAMED = 10

/** What to do about a difference. `restart` is for a server in the background; its own config file must not be lost with that. */
export function remedyOf(status: LocalStatus, invocation: Invocation, restart: string): string {
  const { config_file: file, is_background: isBackground } = status
  if (file !== undefined && file !== findNamedConfig(invocation))
    return `it was started with --config ${quoteWord(file)}, so use that for this command too`
  if (isBackground) return restart
  const given = 'the same variables, such as DROVER_STORE_URL, and config'
  return `give this command the settings of that "drover serve" (${given}), or restart that with those of this command`
}

/** Restarts a server in the background with the config file of this command. */
export function restartCommand(invocation: Invocation): string {
  const file = findNamedConfig(invocation)
  return `"drover down && drover up${file === undefined ? '' : ` --config ${quoteWord(file)}`}"`
}

/** Whether the server runs a prompt as this command would. */
export function worksAlike(status: LocalStatus, { runtime }: Invocation, config: Config): boolean {
  return status.version === runtime.version() && status.config === digestOfSettings(config)
}

export async function startBackground(invocation: Invocation): Promise<LocalStatus> {
  const { runtime } = invocation
  const [node, demoAgent = ''] = runtime.demoAgent
  // The server runs in another directory, where a relative path would name another file.
  const config = findNamedConfig(invocation)
  const words = ['serve', '--local', '--quiet', ...(config === undefined ? [] : ['--config', config])]
  // It outlives the agent that may have called this command, and serves others.
  const env = toOwnEnvironment({ ...runtime.env, [DEPTH_VARIABLE]: undefined })
  const { ended } = startDetached({
    argv: [node, join(dirname(demoAgent), 'drover.cjs'), ...words],
    cwd: runtime.homeDirectory,
    env,
  })
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  for (const deadline = performance.now() + START_MS; performance.now() < deadline && !hasEnded; ) {
    // A server that has just begun may take long to answer.
    const status = await askStatus(invocation).catch(() => undefined)
    if (status !== undefined) return status
    await delay(POLL_MS)
  }
  // It also ends because the server of another `drover up` was faster.
  const other = await askStatus(invocation)
  if (other !== undefined) return other
  throw localServerNotStarted({})
}

/** Stops the server that `drover up` has started, and returns its process id; undefined if none runs. */
export async function stopBackground(invocation: Invocation): Promise<number | undefined> {
  const status = await askStatus(invocation)
  if (status === undefined) return undefined
  if (!status.is_background) throw localServerBusy({ pid: status.pid })
  const server = identifyProcess(status.pid)
  await callServer(invocation, { method: 'POST', path: '/local/stop' })
  for (const deadline = performance.now() + END_MS; isAlive(server) && performance.now() < deadline; ) {
    await delay(POLL_MS)
  }
  if (isAlive(server)) throw localServerNotEnded({ pid: status.pid })
  return status.pid
}

const CHECK_MS = { least: 50, most: 10_000 }

/** When the server that `drover up` starts ends: when the user says so, or, if it watches nothing, after some time without a prompt. */
export class BackgroundEnd {
  readonly #ended = Promise.withResolvers<undefined>()
  readonly #isBackground: boolean
  readonly #timer: NodeJS.Timeout | undefined
  readonly #stopWatching: () => void

  constructor(
    { config, drover: { records: executions, runs } }: { config: Config; drover: ServedDrover },
    isBackground: boolean,
  ) {
    this.#isBackground = isBackground
    const idleMs = config.warm.background_idle_secs * 1000
    let lastUsed = performance.now()
    this.#stopWatching = executions.onChange(() => {
      lastUsed = performance.now()
    })
    const check = () => {
      // A check or git may work for a run while no agent does.
      if (runs.count > 0) lastUsed = performance.now()
      const isIdle = executions.running().length === 0 && performance.now() - lastUsed >= idleMs
      if (isIdle) this.end()
    }
    if (isBackground && config.drive.watch.length === 0) this.#timer = setInterval(check, checkEvery(idleMs)).unref()
  }

  /** Never resolves for a server that has an address. */
  get ended(): Promise<undefined> {
    return this.#ended.promise
  }

  end(): void {
    if (this.#isBackground) this.#ended.resolve(undefined)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#stopWatching()
  }
}

function checkEvery(idleMs: number): number {
  return Math.min(Math.max(idleMs / 4, CHECK_MS.least), CHECK_MS.most)
}

/** Says so if a server of this user keeps the old value until it is restarted. */
export async function noteRestart(invocation: Invocation, key: string): Promise<void> {
  if ((findKey(key) ?? findMap(key))?.applies !== undefined) return
  const server = await askStatus(invocation).catch(() => undefined)
  if (server === undefined) return
  // It does not use the file that was changed.
  if (server.config_file !== findNamedConfig(invocation)) return
  const how = server.is_background ? `restart it with ${restartCommand(invocation)}` : 'restart it'
  await invocation.runtime.terminal.err.write(
    `drover: note: the running server (process ${server.pid}) uses the new value of ${key} after a restart; ${how}\n`,
  )
}
