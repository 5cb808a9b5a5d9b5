/** Commands for agents that let the client run them: then drover has the exit code first-hand, and can end the command. */
import { isAbsolute } from 'node:path'
import type { ChildEnvironment } from '../../kit/process/child-environment.ts'
import { OutputTail } from '../../kit/process/child-output.ts'
import { type ProcessExit, startProcess } from '../../kit/process/process.ts'
import { countAt, type JsonRecord, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'
import { rootsOf } from '../adapter/surroundings.ts'
import { type ClientPolicy, nameRoots } from './client-files.ts'
import { isInsideAny } from './permissions.ts'

const OUTPUT_LIMIT_BYTES = 4 * 1024 * 1024
const MAX_TERMINALS = 32
/** How many terminals are remembered after their release. */
const MAX_REMEMBERED = 32

type Terminal = {
  output: OutputTail
  limit: number
  bytes: number
  exit: Promise<ProcessExit>
  exited: ProcessExit | undefined
  stop: AbortController
}

/** What a command has printed, and how it ended. */
export type TerminalEvidence = { output: string; exitCode: number | undefined }

export class ClientTerminals {
  readonly #terminals = new Map<string, Terminal>()
  readonly #released = new Map<string, TerminalEvidence>()
  readonly #env: ChildEnvironment
  /** Terminals whose command is being started. */
  readonly #starting = new Set<{ stop: AbortController; started: Promise<unknown> }>()
  #isClosed = false
  #lastId = 0

  /** `env` is the environment of the agent. */
  constructor(env: ChildEnvironment) {
    this.#env = env
  }

  async create(params: JsonRecord, policy: ClientPolicy): Promise<JsonRecord> {
    const { permission } = policy
    if (permission !== undefined && permission !== 'everything') throw new Error('running commands is not allowed')
    if (this.#isClosed) throw new Error('the agent has ended')
    if (this.#terminals.size + this.#starting.size >= MAX_TERMINALS) throw new Error('too many terminals; release one')
    const command = textAt(params, 'command')
    if (command === undefined || command === '') throw new Error('command must be text')
    const cwd = textAt(params, 'cwd') ?? policy.workdir
    if (!isAbsolute(cwd)) throw new Error('the directory must be absolute')
    if (permission !== 'everything' && !isInsideAny(cwd, rootsOf(policy))) {
      throw new Error(`${cwd} is not in ${nameRoots(policy)}`)
    }
    this.#lastId += 1
    const id = `terminal-${this.#lastId}`
    const limit = Math.min(countAt(params, 'outputByteLimit') ?? OUTPUT_LIMIT_BYTES, OUTPUT_LIMIT_BYTES)
    const stop = new AbortController()
    const started = this.#start(toArgv(command, textsAt(params, 'args')), { params, cwd, limit, stop })
    const entry = { stop, started: started.catch(() => undefined) }
    this.#starting.add(entry)
    try {
      this.#terminals.set(id, await started)
    } finally {
      this.#starting.delete(entry)
    }
    return { terminalId: id }
  }

  async output(params: JsonRecord): Promise<JsonRecord> {
    const { output, bytes, limit, exited } = this.#find(params)
    return {
      output: output.text(),
      truncated: bytes > limit,
      ...(exited !== undefined && { exitStatus: toExitStatus(exited) }),
    }
  }

  async waitForExit(params: JsonRecord): Promise<JsonRecord> {
    return toExitStatus(await this.#find(params).exit)
  }

  async kill(params: JsonRecord): Promise<JsonRecord> {
    const { stop, exit } = this.#find(params)
    stop.abort()
    await exit
    return {}
  }

  async release(params: JsonRecord): Promise<JsonRecord> {
    const terminal = this.#find(params)
    await this.kill(params)
    const id = textAt(params, 'terminalId') ?? ''
    this.#terminals.delete(id)
    this.#released.set(id, toEvidence(terminal))
    const [oldest] = this.#released.keys()
    if (this.#released.size > MAX_REMEMBERED && oldest !== undefined) this.#released.delete(oldest)
    return {}
  }

  /** First-hand: agents report less of it, or something else. */
  evidence(id: string): TerminalEvidence | undefined {
    const terminal = this.#terminals.get(id)
    return terminal === undefined ? this.#released.get(id) : toEvidence(terminal)
  }

  /** Ends all commands, and everything that they have started. A second call waits for the same commands. */
  async end(): Promise<void> {
    const starting = [...this.#starting]
    for (const { stop } of starting) stop.abort()
    await Promise.all(starting.map(({ started }) => started))
    const all = [...this.#terminals]
    for (const [, { stop }] of all) stop.abort()
    await Promise.all(all.map(([, { exit }]) => exit))
    for (const [id] of all) this.#terminals.delete(id)
  }

  /** Ends all commands, and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.end()
  }

  async #start(
    argv: readonly [string, ...string[]],
    { params, cwd, limit, stop }: { params: JsonRecord; cwd: string; limit: number; stop: AbortController },
  ): Promise<Terminal> {
    const variables = objectsAt(params, 'env').flatMap((each) => {
      const [name, value] = [textAt(each, 'name'), textAt(each, 'value')]
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    })
    const output = new OutputTail(limit)
    const terminal = { output, limit, bytes: 0, stop, exited: undefined as ProcessExit | undefined }
    const add = (chunk: Buffer) => {
      terminal.bytes += chunk.length
      output.add(chunk)
    }
    const running = await startProcess({
      argv,
      cwd,
      env: { ...this.#env, ...Object.fromEntries(variables) },
      timeoutMs: null,
      signal: stop.signal,
      sweep: 'always',
      onStderr: add,
    })
    running.stdout.on('data', add)
    const known: Terminal = Object.assign(terminal, { exit: running.exit })
    void running.exit.then((exit) => {
      known.exited = exit
    })
    return known
  }

  #find(params: JsonRecord): Terminal {
    const id = textAt(params, 'terminalId') ?? ''
    const terminal = this.#terminals.get(id)
    if (terminal === undefined) throw new Error(`there is no terminal ${JSON.stringify(id)}`)
    return terminal
  }
}

/** Agents send a whole shell command in `command`, or a program with its arguments. */
function toArgv(command: string, args: readonly string[]): [string, ...string[]] {
  return args.length === 0 && /[\s;&|<>$`'"(]/.test(command) ? ['/bin/sh', '-c', command] : [command, ...args]
}

function toEvidence({ output, exited }: Terminal): TerminalEvidence {
  return { output: output.text(), exitCode: exited?.code ?? undefined }
}

function toExitStatus({ code, signal }: ProcessExit): JsonRecord {
  return { exitCode: code, signal }
}
