/**
 * Writes that are asked for at the same time are committed together. Each commit waits for the disk and stops the whole
 * process meanwhile, so hundreds in a row would keep everybody else waiting.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Few enough that neither other processes nor this one's event loop wait long. */
const MOST_AT_ONCE = 50

type Write = { work: () => unknown; done: (result: unknown) => void; doAlone: () => void }

export class WriteGroup {
  readonly #transact: (work: () => unknown[]) => unknown[]
  #waiting: Write[] = []
  #isGathering = false

  /** `transact` does all of the work, or nothing and throws. */
  constructor(transact: (work: () => unknown[]) => unknown[]) {
    this.#transact = transact
  }

  /** The first write is done at once; those that come before the event loop has turned are done after that, as one. */
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
    await turnOfTheLoop()
    while (this.#waiting.length > 0) {
      this.#commit(this.#waiting.splice(0, MOST_AT_ONCE))
      await turnOfTheLoop()
    }
    this.#isGathering = false
  }

  #commit(writes: readonly Write[]): void {
    try {
      const results = this.#transact(() => writes.map(({ work }) => work()))
      for (const [at, { done }] of writes.entries()) done(results[at])
    } catch {
      // One of them fails, or somebody has the file locked: each for itself, so that none suffers for another.
      for (const { doAlone } of writes) doAlone()
    }
  }
}
