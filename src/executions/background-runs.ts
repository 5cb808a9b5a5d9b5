/** Prompts that keep running when their client has disconnected. The server waits for them before it exits. */
import { Fault } from '../kit/fault.ts'
import type { Log } from '../kit/log.ts'

export class BackgroundRuns {
  readonly #running = new Set<Promise<unknown>>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Returns the promise. A failure is logged too, because its client may have disconnected. */
  add<T>(run: Promise<T>): Promise<T> {
    const ended = run.catch((error: unknown) => {
      if (error instanceof Fault) return
      this.#log.error({ reason: String(error) }, 'a prompt in the background failed')
    })
    this.#running.add(ended)
    void ended.then(() => this.#running.delete(ended))
    return run
  }

  /** Resolves when none is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
