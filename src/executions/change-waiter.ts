import type { ExecutionStore } from './store/execution-store.ts'

/** Waits for changes that other processes make to one execution. */
export class ChangeWaiter {
  readonly #pollMs: number
  readonly #unwatch: () => void
  #wake = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined

  constructor(store: ExecutionStore, id: string) {
    this.#pollMs = store.pollMs
    this.#unwatch = store.watch((notice) => {
      if (notice.type === 'missed' || (notice.type === 'changed' && notice.ids.includes(id))) this.#wake.resolve()
    })
  }

  /** Resolves after the next change, or when it is time to look. Call it before the execution is read. */
  next(): Promise<void> {
    clearTimeout(this.#timer)
    this.#wake = Promise.withResolvers<void>()
    this.#timer = setTimeout(this.#wake.resolve, this.#pollMs)
    return this.#wake.promise
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#unwatch()
  }
}
