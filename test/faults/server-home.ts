import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Script } from '../fake-agent/script.ts'
import { installFakeAgent } from '../support/fake-agent.ts'
import { until } from '../support/until.ts'
import { installWarmAgents } from '../support/warm-agents.ts'
import { descriptorsOf, memoryOf, processesOf } from './observation.ts'

const root = join(import.meta.dirname, '..', '..')
const DROVER = join(root, 'bin', 'drover.cjs')
const PROGRAMS = join(root, 'test', 'programs')

export type HomeOptions = {
  /** The script of claude. Codex always works. */
  script?: Script
  /** The `server` section of the config. */
  server?: Record<string, unknown>
  /** The setting `budgets`. */
  budgets?: readonly object[]
  /** The `warm` section of the config. With it, both agents are scripted ones that stay up. */
  warm?: Record<string, unknown>
  /** Added to the environment of the server and its agents. */
  env?: Record<string, string>
  /** How long a server that stops waits for its prompts, in place of 30 s. */
  drainMs?: number
  /** The directory in which the home is made. */
  within?: string
}

/** The resources that a server uses. */
export type ResourceUse = { descriptors: number; heapMiB: number; residentMiB: number; peakMiB: number }

/** A temporary home directory with two agents, in which servers can be started one after the other. */
export class ServerHome implements AsyncDisposable {
  readonly path: string
  readonly #drainMs: number | undefined
  readonly #env: Record<string, string>
  readonly #servers: ObservedServer[] = []

  /** Agents stay up only where a scenario asks for it: elsewhere they would count as left behind. */
  constructor({ script = {}, server = {}, budgets = [], warm, env = {}, drainMs, within = tmpdir() }: HomeOptions) {
    this.path = mkdtempSync(join(within, 'drover-faults-'))
    this.#drainMs = drainMs
    this.#env = env
    for (const directory of ['.drover', 'work', 'tmp']) mkdirSync(join(this.path, directory))
    const backends = this.#install(script, warm !== undefined)
    const config = { server, budgets, backends, warm: warm ?? { enabled: false } }
    // JSON is YAML.
    writeFileSync(join(this.path, '.drover', 'config.yaml'), JSON.stringify(config))
  }

  #install(script: Script, isWarm: boolean) {
    if (isWarm) {
      const directory = installWarmAgents(join(this.path, 'bin'))
      return { claude: { command: join(directory, 'claude') }, codex: { command: join(directory, 'codex') } }
    }
    return {
      claude: { command: installFakeAgent(this.path, 'claude', { script }) },
      codex: { command: installFakeAgent(this.path, 'codex') },
    }
  }

  /** Starts a server, and resolves when it listens. */
  async start(): Promise<ObservedServer> {
    const entry =
      this.#drainMs === undefined ? [DROVER] : [join(PROGRAMS, 'serve-with-short-drain.ts'), String(this.#drainMs)]
    const reporting = ['--import', join(PROGRAMS, 'report-heap.ts')]
    const child = spawn(process.execPath, [...reporting, ...entry, 'serve', '-p', '0'], {
      cwd: join(this.path, 'work'),
      env: { ...this.#env, PATH: '/usr/bin:/bin', HOME: this.path, TMPDIR: join(this.path, 'tmp') },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const server = new ObservedServer(child)
    this.#servers.push(server)
    await server.listening()
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.signal('SIGKILL')))
    for (const pid of processesOf(this.path)) process.kill(pid, 'SIGKILL')
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A running `drover serve`. */
export class ObservedServer {
  readonly pid: number
  /** The exit code; null if a signal killed it. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #port = 0
  #stdout = ''
  #stderr = ''

  constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid ?? 0
    child.stdout?.setEncoding('utf8').on('data', (text) => (this.#stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.#stderr += text))
    this.ended = once(child, 'close').then(([code]) => code as number | null)
  }

  get port(): number {
    return this.#port
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async listening(): Promise<void> {
    this.#port = await until(() => {
      if (!this.isRunning) throw new Error(`the server has ended: ${this.#stderr}`)
      return Number(/listens on http:\/\/.*:(\d+)\n/.exec(this.#stdout)?.[1])
    })
  }

  /** Sends the signal, and resolves with the exit code when the server has ended. */
  signal(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return this.ended
  }

  /** Resolves when the log contains the text. */
  async hasLogged(text: string): Promise<void> {
    await until(() => this.#stderr.includes(text))
  }

  async resourceUse(): Promise<ResourceUse> {
    this.#child.send('collect')
    const [heapBytes] = await once(this.#child, 'message')
    return { descriptors: descriptorsOf(this.pid), heapMiB: Number(heapBytes) / 2 ** 20, ...memoryOf(this.pid) }
  }
}
