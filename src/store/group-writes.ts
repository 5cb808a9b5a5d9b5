/**
 * Commits concurrent writes together. Each commit waits for the disk and blocks the process, so hundreds in a row would
 * stall everything else.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Small enough to block neither other processes nor our event loop for long. */
const MAX_GROUP = 50

type Write = { work: () => unknown; done: (result: unknown) => void; doAlone: () => void }

export class WriteGroup {
  readonly #transact: (work: () => unknown[]) => unknown[]
  #waiting: Write[] = []
  #isGathering = false

  /** `transact` commits all of the work, or throws and commits nothing. */
  constructor(transact: (work: () => unknown[]) => unknown[]) {
    this.#transact = transact
  }

  /** Runs the first write at once. Writes that follow in the same turn of the event loop are committed together after it. */
  add<T>(work: () => T, alone: () => Promise<T>): Promise<T> {
    if (!this.#isGathering) {
      void this.#gather()
      return alone()
    }
    return new Promise((resolve, reject) => {
      const done = (result: unknown) => resolve(result as T)
      this.#waiting.push({ work, done, doAlone: () => void alone().then(resolve, reject) })
    })
  }

  async #gather(): Promise<void> {
    this.#isGathering = true
    await nextTurn()
    while (this.#waiting.length > 0) {
      this.#commit(this.#waiting.splice(0, MAX_GROUP))
      await nextTurn()
    }
    this.#isGathering = false
  }

  #commit(writes: readonly Write[]): void {
    try {
      const results = this.#transact(() => writes.map(({ work }) => work()))
      for (const [at, { done }] of writes.entries()) done(results[at])
    } catch {
      // One write failed, or the file is locked: run each alone, so that one failure does not affect the others.
      for (const { doAlone } of writes) doAlone()
    }
  }
}
