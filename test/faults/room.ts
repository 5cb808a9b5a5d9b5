/** A home of its own with two agents, in which real servers live one after the other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Script } from '../fake-agent/script.ts'
import { installFakeAgent } from '../support/fake-agent.ts'
import { until } from '../support/until.ts'
import { descriptorsOf, memoryOf, processesOf } from './observation.ts'

const root = join(import.meta.dirname, '..', '..')
const DROVER = join(root, 'bin', 'drover.cjs')
const PROGRAMS = join(root, 'test', 'programs')

export type RoomOptions = {
  /** What claude does. Codex is sound. */
  script?: Script
  /** The `server` section of the config. */
  server?: Record<string, unknown>
  /** In place of the half minute that a server has to finish what is under way. */
  drainMs?: number
  /** Where the home is to be. */
  within?: string
}

export type Level = { descriptors: number; heapMiB: number; residentMiB: number; peakMiB: number }

export class Room implements AsyncDisposable {
  readonly home: string
  readonly #drainMs: number | undefined
  readonly #servers: ObservedServer[] = []

  constructor({ script = {}, server = {}, drainMs, within = tmpdir() }: RoomOptions) {
    this.home = mkdtempSync(join(within, 'drover-faults-'))
    this.#drainMs = drainMs
    for (const directory of ['.drover', 'work', 'tmp']) mkdirSync(join(this.home, directory))
    const backends = {
      claude: { command: installFakeAgent(this.home, 'claude', { script }) },
      codex: { command: installFakeAgent(this.home, 'codex') },
    }
    // JSON is YAML.
    writeFileSync(join(this.home, '.drover', 'config.yaml'), JSON.stringify({ server, backends }))
  }

  /** Resolves when the server says that it listens. */
  async start(): Promise<ObservedServer> {
    const entry = this.#drainMs === undefined ? [DROVER] : [join(PROGRAMS, 'serve-briefly.ts'), String(this.#drainMs)]
    const observing = ['--import', join(PROGRAMS, 'tell-heap.ts')]
    const child = spawn(process.execPath, [...observing, ...entry, 'serve', '-p', '0'], {
      cwd: join(this.home, 'work'),
      env: { PATH: '/usr/bin:/bin', HOME: this.home, TMPDIR: join(this.home, 'tmp') },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const server = new ObservedServer(child)
    this.#servers.push(server)
    await server.listening()
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.signal('SIGKILL')))
    for (const pid of processesOf(this.home)) process.kill(pid, 'SIGKILL')
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** One `drover serve`. */
export class ObservedServer {
  readonly pid: number
  /** The exit code; null after a signal that it did not survive. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess
  #port = 0
  #said = ''
  #complained = ''

  constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid ?? 0
    child.stdout?.setEncoding('utf8').on('data', (text) => (this.#said += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.#complained += text))
    this.ended = once(child, 'close').then(([code]) => code as number | null)
  }

  get port(): number {
    return this.#port
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async listening(): Promise<void> {
    this.#port = await until(() => {
      if (!this.isAlive) throw new Error(`the server has ended: ${this.#complained}`)
      return Number(/listens on http:\/\/.*:(\d+)\n/.exec(this.#said)?.[1])
    })
  }

  /** Resolves with the exit code when the server has gone. */
  signal(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return this.ended
  }

  /** Resolves when this is in its log. */
  async hasLogged(text: string): Promise<void> {
    await until(() => this.#complained.includes(text))
  }

  async level(): Promise<Level> {
    this.#child.send('collect')
    const [heapBytes] = await once(this.#child, 'message')
    return { descriptors: descriptorsOf(this.pid), heapMiB: Number(heapBytes) / 2 ** 20, ...memoryOf(this.pid) }
  }
}
