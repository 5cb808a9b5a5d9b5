/** The changes of state of all executions: those of this process, and those of other processes with the same store. */
import { EventEmitter } from 'node:events'
import { Fault } from '../kit/fault.ts'
import type { Log } from '../kit/log.ts'
import type { Execution } from './execution.shape.ts'
import type { ExecutionStore } from './execution-store.ts'
import type { Executions } from './executions.ts'
import { executionNotFound } from './faults.ts'

/** `execution`: its record has changed. `execution_removed`: it has ended, and nothing of it is stored. */
export type StateChange = { type: 'execution'; execution: Execution } | { type: 'execution_removed'; id: string }

type Watch = { signal: AbortSignal; isVisible: (execution: Execution) => boolean }

/** The executions of other processes are looked up this often, while a client watches. */
const POLL_MS = 1000

export class StateFeed {
  readonly #executions: Executions
  readonly #store: ExecutionStore
  readonly #log: Log
  readonly #changes = new EventEmitter<{ change: [Execution]; removed: [Execution] }>().setMaxListeners(0)
  /** The running executions of other processes, by id. */
  #foreign = new Map<string, Execution>()
  #timer: NodeJS.Timeout | undefined

  constructor({ executions, store, log }: { executions: Executions; store: ExecutionStore; log: Log }) {
    this.#executions = executions
    this.#store = store
    this.#log = log
    executions.onChange((execution) => this.#changes.emit('change', execution))
  }

  /** Begins with the executions that run now. Ends with the signal. */
  async *watch({ signal, isVisible }: Watch): AsyncGenerator<StateChange, void, undefined> {
    const waiting: StateChange[] = []
    let wake = Promise.withResolvers<void>()
    const queue = (change: StateChange) => {
      waiting.push(change)
      wake.resolve()
    }
    const add = (execution: Execution) => {
      if (isVisible(execution)) queue({ type: 'execution', execution: withoutTexts(execution) })
    }
    const remove = (execution: Execution) => {
      if (isVisible(execution)) queue({ type: 'execution_removed', id: execution.id })
    }
    const abort = () => wake.resolve()
    this.#changes.on('change', add).on('removed', remove)
    signal.addEventListener('abort', abort)
    try {
      await this.#startPolling()
      for (const execution of [...this.#executions.running(), ...this.#foreign.values()]) add(execution)
      while (!signal.aborted) {
        yield* waiting.splice(0)
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    } finally {
      signal.removeEventListener('abort', abort)
      this.#changes.off('change', add).off('removed', remove)
      if (this.#changes.listenerCount('change') === 0) this.#stopPolling()
    }
  }

  async #startPolling(): Promise<void> {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref()
    await this.#poll()
  }

  #stopPolling(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#foreign.clear()
  }

  async #poll(): Promise<void> {
    try {
      const running = await this.#store.running()
      const others = running.filter(({ owner }) => owner !== this.#executions.owner)
      const before = this.#foreign
      this.#foreign = new Map(others.map((execution) => [execution.id, execution]))
      for (const execution of others) {
        if (before.get(execution.id)?.state !== execution.state) this.#changes.emit('change', execution)
      }
      for (const execution of before.values()) {
        if (!this.#foreign.has(execution.id)) await this.#emitEnd(execution)
      }
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'the executions of other processes could not be read')
    }
  }

  async #emitEnd(execution: Execution): Promise<void> {
    try {
      this.#changes.emit('change', await this.#store.find(execution.id))
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== executionNotFound.code) throw error
      this.#changes.emit('removed', execution)
    }
  }
}

function withoutTexts({ prompt: _prompt, result: _result, ...execution }: Execution): Execution {
  return execution
}
