/** Work that can wait a moment, so that an answer does not wait for it. */
export class DeferredWork {
  readonly #delayMs: number
  readonly #waiting = new Set<() => void>()

  constructor(delayMs: number) {
    this.#delayMs = delayMs
  }

  add(work: () => void): void {
    const run = () => {
      clearTimeout(timer)
      if (this.#waiting.delete(run)) work()
    }
    const timer = setTimeout(run, this.#delayMs).unref()
    this.#waiting.add(run)
  }

  /** Runs deferred work now. */
  flush(): void {
    for (const run of this.#waiting) run()
  }
}
