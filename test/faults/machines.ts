/** Processes that stand for machines: servers without agents, and workers, with one PostgreSQL store. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migratePostgres } from '../../src/store/postgres-database.ts'
import { type PostgresOptions, PostgresServer } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const DROVER = join(import.meta.dirname, '..', '..', 'bin', 'drover.cjs')

export type Machine = { name: string; child: ChildProcess; heard: string; port: number }

type MachinesOptions = {
  deadAfterSecs: number
  /** How many pieces an agent prints, and how long it waits after each. */
  pieces: number
  pieceMs: number
  postgres?: PostgresOptions
}

/** How a process is started, if not like the others. */
export type MachineOptions = {
  /** Another address of the store. */
  url?: string
  env?: Record<string, string>
  /** A command that starts another one, with its arguments. */
  by?: readonly string[]
  /** Another program than that of this clone. */
  drover?: string
}

export class Machines implements AsyncDisposable {
  readonly postgres: PostgresServer
  readonly url: string
  readonly #directory: string
  readonly #options: MachinesOptions
  readonly #running = new Map<string, Machine>()

  private constructor(postgres: PostgresServer, url: string, options: MachinesOptions) {
    this.postgres = postgres
    this.url = url
    this.#options = options
    this.#directory = mkdtempSync(join(tmpdir(), 'drover-machines-'))
    mkdirSync(join(this.#directory, 'work'))
    this.#installAgent()
  }

  static async start(options: MachinesOptions): Promise<Machines> {
    const postgres = await PostgresServer.start(options.postgres)
    const url = await postgres.createDatabase()
    await migratePostgres({ url })
    return new Machines(postgres, url, options)
  }

  /** The prompts of all agents that were started, in order. */
  started(): string[] {
    return readFileSync(this.#starts, 'utf8').split('\n').filter(Boolean)
  }

  /** A server that only takes requests. */
  async door(name: string, options: MachineOptions = {}): Promise<Machine> {
    const machine = this.#spawn(name, ['serve', '--no-work', '--port', '0', '--quiet'], options)
    machine.port = Number(await until(() => /listens on http:\/\/.*:(\d+)\n/.exec(machine.heard)?.[1]))
    await until(() => machine.heard.includes('Press Ctrl-C'))
    return machine
  }

  async worker(name: string, options: MachineOptions = {}): Promise<Machine> {
    const machine = this.#spawn(name, ['work', '--quiet'], options)
    await until(() => machine.heard.includes('Press Ctrl-C'))
    return machine
  }

  /** What the processes printed that ended by themselves. */
  readonly crashes: string[] = []

  async kill({ name, child, heard }: Machine): Promise<void> {
    this.#running.delete(name)
    if (child.exitCode !== null) {
      this.crashes.push(`${name} ended by itself: ${heard.slice(-500)}`)
      return
    }
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of [...this.#running.values()]) await this.kill(machine)
    await this.postgres.stop({ isLast: true })
    rmSync(this.#directory, { recursive: true, force: true })
  }

  get #starts(): string {
    return join(this.#directory, 'starts')
  }

  /** A shell script, because it starts at once. It notes its prompt before it prints anything. */
  #installAgent(): void {
    const { pieces, pieceMs } = this.#options
    writeFileSync(this.#starts, '')
    const lines = (event: object) => `echo '${JSON.stringify(event)}'\n`
    const [session_id, model] = ['0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11', 'demo']
    const piece = (text: string) => ({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    })
    const printed = Array.from(
      { length: pieces },
      (_, at) => `${lines(piece(`piece ${at}. `))}sleep ${pieceMs / 1000}\n`,
    )
    const usage = { input_tokens: 1, output_tokens: 1 }
    const text = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
prompt=$(cat)
echo "$prompt" >> '${this.#starts}'
${lines({ type: 'system', subtype: 'init', session_id, model })}${printed.join('')}${lines({
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id, usage },
})}`
    mkdirSync(join(this.#directory, 'bin'))
    writeFileSync(join(this.#directory, 'bin', 'claude'), text, { mode: 0o755 })
  }

  #spawn(name: string, args: readonly string[], options: MachineOptions): Machine {
    const { url = this.url, env = {}, by = [], drover = DROVER } = options
    const home = join(this.#directory, name)
    mkdirSync(home, { recursive: true })
    const [program = '', ...argv] = [...by, process.execPath, drover, ...args]
    const child = spawn(program, argv, {
      cwd: join(this.#directory, 'work'),
      env: {
        PATH: `${join(this.#directory, 'bin')}:/usr/bin:/bin`,
        HOME: home,
        DROVER_WARM_ENABLED: 'false',
        DROVER_STORE_URL: url,
        ...(url !== this.url && { DROVER_STORE_STATEMENT_TIMEOUT_SECS: '2' }),
        DROVER_STORE_MACHINE: name,
        DROVER_STORE_DEAD_AFTER_SECS: String(this.#options.deadAfterSecs),
        DROVER_SERVER_LOCAL_SOCKET: 'false',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const machine: Machine = { name, child, heard: '', port: 0 }
    const hear = (text: string) => {
      machine.heard += text
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    this.#running.set(name, machine)
    return machine
  }
}
