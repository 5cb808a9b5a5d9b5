import { renameSync, writeFileSync } from 'node:fs'
import type { ToolOutcome } from './dialect.ts'

type Notes = { tool?: number | undefined; daemon?: number | undefined; hangs?: true; ignored?: 'SIGINT' | 'SIGTERM' }

const DAEMON_LIFE_SECONDS = '300'

/** The processes that a script makes the agent start. Each leads its own session, so that signals to the agent's group do not reach it. */
export class ChildProcesses {
  readonly #notes: Notes & { agent: number }
  readonly #pidFile: string | undefined
  #toolPid: number | undefined

  constructor(agentPid: number, pidFile: string | undefined) {
    this.#notes = { agent: agentPid }
    this.#pidFile = pidFile
  }

  get isToolRunning(): boolean {
    return this.#toolPid !== undefined
  }

  async runTool(command: string): Promise<ToolOutcome> {
    const spawn = await loadSpawn()
    const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#toolPid = child.pid
    this.note({ tool: child.pid })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const exitCode = await new Promise<number>((resolve) => {
      child.on('error', () => resolve(127))
      child.on('close', (code) => resolve(code ?? 1))
    })
    this.#toolPid = undefined
    return { output: output.trimEnd(), exitCode, isDenied: false }
  }

  endTool(): void {
    // To the group: the tool and everything it started.
    if (this.#toolPid !== undefined) process.kill(-this.#toolPid, 'SIGKILL')
  }

  async startDaemon(): Promise<void> {
    const spawn = await loadSpawn()
    const daemon = spawn('sleep', [DAEMON_LIFE_SECONDS], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] })
    this.note({ daemon: daemon.pid })
    daemon.unref()
  }

  /** Replaces the file in one step, so that a test never reads half of it. */
  note(notes: Notes = {}): void {
    Object.assign(this.#notes, notes)
    if (this.#pidFile === undefined) return
    // Several agents can write the same file.
    const temporary = `${this.#pidFile}.${this.#notes.agent}`
    writeFileSync(temporary, JSON.stringify(this.#notes))
    renameSync(temporary, this.#pidFile)
  }
}

/** Loaded late, because most scripts start no process and loading it slows down every start. */
async function loadSpawn() {
  const { spawn } = await import('node:child_process')
  return spawn
}
