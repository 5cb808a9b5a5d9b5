/** One drover in a program: its settings, its sessions, and what runs. Nothing is read or opened before the first call. */
import { homedir } from 'node:os'
import { toWarmLimits } from '../agents/pool/pool-rules.ts'
import { WarmPool } from '../agents/pool/warm-pool.ts'
import type { Config } from '../config/config.shape.ts'
import { type ConfigEnvironment, findPaths, hiddenFiles, type Paths } from '../config/paths.ts'
import { readConfig } from '../config/read-config.ts'
import { openUserStores } from '../executions/open-user-stores.ts'
import type { Loss } from '../executions/store/stores.ts'
import { systemClock } from '../kit/clock.ts'
import { hideVariables } from '../kit/process/child-environment.ts'
import { endProcessesAtExit } from '../kit/process/running-processes.ts'
import type { SandboxParts } from '../prompts/prompt-context.ts'
import { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import type { SettingsSource } from '../service/administration.ts'
import { InProcessDrover } from '../service/in-process.ts'
import type { EventRun } from './event-run.ts'
import { instanceClosed } from './faults.ts'
import { besidePackage, packageVersion } from './package.ts'
import type { DroverOptions } from './types.ts'

export type OpenedInstance = {
  config: Config
  paths: Paths
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isRoot: boolean
  sandbox: SandboxParts
  demo: readonly [string, ...string[]] | undefined
  drover: InProcessDrover
  /** Calls it when other machines have taken over from this process, or may have. */
  onLost(listener: (loss: Loss) => void): void
  /** Variables that other programs can read in the environment of this process. */
  readableVariables: readonly string[]
  source: SettingsSource
}

type Closing = () => Promise<void>

export class Instance {
  readonly #options: DroverOptions
  readonly #running = new Set<EventRun<unknown, unknown>>()
  readonly #closings = new Set<Closing>()
  readonly #losses = new Set<(loss: Loss) => void>()
  readonly #closed = new AbortController()
  #opened: Promise<OpenedInstance> | undefined
  #closing: Promise<void> | undefined

  constructor(options: DroverOptions) {
    this.#options = options
  }

  /** Aborted when the instance is closed. */
  get signal(): AbortSignal {
    return this.#closed.signal
  }

  get isWarm(): boolean {
    return this.#options.warm === true
  }

  /** Throws a Fault after `close`, or if the settings are not valid; the next call then reads them again. */
  async open(): Promise<OpenedInstance> {
    if (this.#closing !== undefined) throw instanceClosed({})
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return await this.#opened
  }

  /** What runs is ended by `close`. */
  track<E, R>(run: EventRun<E, R>): EventRun<E, R> {
    const tracked = run as unknown as EventRun<unknown, unknown>
    this.#running.add(tracked)
    void run.ended().then(() => this.#running.delete(tracked))
    return run
  }

  /** Called by `close`, unless the returned function is called first. */
  onClose(closing: Closing): () => void {
    this.#closings.add(closing)
    return () => this.#closings.delete(closing)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#closed.abort()
    for (const run of this.#running) run.cancel()
    await Promise.all([...this.#running].map((run) => run.ended()))
    await Promise.all([...this.#closings].map((closing) => closing()))
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.drover[Symbol.asyncDispose]()
  }

  async #open(): Promise<OpenedInstance> {
    endProcessesAtExit()
    // biome-ignore lint/style/noProcessEnv: other programs can read that of the process
    const readableVariables = hideVariables(process.env, besidePackage('bin/hide-variables.cjs'))
    const sources = this.#sources()
    const { env, cwd } = sources
    const { config, warnings, origins, file } = await readConfig(sources)
    const onWarning = (message: string) => this.#options.onWarning?.(message)
    for (const warning of warnings) onWarning(warning)
    const paths = findPaths(sources)
    const demo = this.#options.demo === true ? demoAgent() : undefined
    const isRoot = process.getuid?.() === 0
    const sandbox = sandboxParts(sources, config)
    const onLost = (loss: Loss) => this.#onLost(loss)
    const drover = new InProcessDrover({
      ...{ settings: config, env, cwd, isRoot, demo, clock: systemClock, sandbox },
      ...{ worktrees: paths.worktrees, templates: paths.templates, projects: paths.projects },
      findMachineSandbox: async () => findSandbox(sources, config),
      openStores: () => openUserStores({ settings: config, path: paths.sessions, env, clock: systemClock, onLost }),
      // Without them, sessions have no turns and cannot be continued by another agent.
      keep: 'events',
      version: packageVersion,
      observer: { sessionLeft: onWarning },
      createPool: (owner) =>
        new WarmPool({
          limits: toWarmLimits({ ...config.warm, spares: 0 }),
          owner,
          onFailure: ({ backend, reason }) => onWarning(`${backend} cannot be kept running: ${reason}`),
          startsAtOnce: true,
        }),
    })
    const readKeys = async () => (await readConfig(sources)).config.server.keys
    const readBudgets = async () => (await readConfig(sources)).config.budgets
    return {
      ...{
        config,
        paths,
        env,
        cwd,
        isRoot,
        sandbox,
        demo,
        drover,
        source: { origins, file, readKeys, readBudgets },
        readableVariables,
      },
      onLost: (listener) => void this.#losses.add(listener),
    }
  }

  /** What runs has lost its sessions, or may have. */
  #onLost(loss: Loss): void {
    const reason = loss === 'taken' ? 'other machines took this process for dead' : 'the store gives no answer'
    this.#options.onWarning?.(`${reason}, so what it ran is stopped`)
    for (const run of this.#running) run.cancel()
    for (const onLost of this.#losses) onLost(loss)
  }

  #sources(): ConfigEnvironment & Pick<Parameters<typeof readConfig>[0], 'settings' | 'readsFile'> {
    // biome-ignore lint/style/noProcessEnv: a program that passes no environment means that of its process
    const { config, configFile, home, cwd = process.cwd(), env = process.env } = this.#options
    return {
      // A copy, because every read of `process.env` is a system call.
      env: { ...env, ...(home !== undefined && { DROVER_HOME: home }) },
      homeDirectory: homedir(),
      cwd,
      ...(typeof configFile === 'string' && { configFlag: configFile }),
      readsFile: configFile !== false,
      settings: config,
    }
  }
}

function sandboxParts(sources: ConfigEnvironment, config: Config): SandboxParts {
  const paths = findPaths(sources)
  return {
    forwarder: besidePackage('bin/sandbox-forwarder.cjs'),
    probe: besidePackage('bin/sandbox-probe.cjs'),
    droverHome: paths.directory,
    hidden: hiddenFiles(config, { ...sources, paths }),
  }
}

/** The sandbox of this machine. Nothing is tried yet. */
function findSandbox(sources: ConfigEnvironment, config: Config): MachineSandbox {
  const { env, cwd, homeDirectory } = sources
  const { droverHome, hidden, ...files } = sandboxParts(sources, config)
  return new MachineSandbox({ env, cwd, homeDirectory, settings: config.sandbox, files, droverHome, hidden })
}

export function demoAgent(): readonly [string, ...string[]] {
  return [process.execPath, besidePackage('bin/demo-agent.cjs')]
}
