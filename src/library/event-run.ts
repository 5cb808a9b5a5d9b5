/** Something that runs, reports events and has a result. It has begun when it is created. */
import { DroverError } from './drover-error.ts'

type Work<E, R> = (emit: (event: E) => void, signal: AbortSignal) => Promise<R>

export class EventRun<E, R> implements AsyncIterable<E> {
  readonly result: Promise<R>
  readonly #cancel = new AbortController()
  readonly #events: E[] = []
  #changed = Promise.withResolvers<void>()
  #hasEnded = false

  /** `work` ends when its signal is aborted: by the caller's signal, by `cancel`, or by a reader that stops. */
  constructor(work: Work<E, R>, outer: AbortSignal | undefined) {
    const abort = () => this.cancel()
    if (outer?.aborted === true) abort()
    else outer?.addEventListener('abort', abort, { once: true })
    this.result = this.#run(work).finally(() => {
      outer?.removeEventListener('abort', abort)
      this.#hasEnded = true
      this.#changed.resolve()
    })
    // A caller that only reads events must not be ended by an error that the events have told.
    this.result.catch(() => undefined)
  }

  cancel(): void {
    this.#cancel.abort()
  }

  /** Resolves when it has ended, however. */
  async ended(): Promise<void> {
    await this.result.then(
      () => undefined,
      () => undefined,
    )
  }

  /** Every event from the first. A reader that stops early cancels the work. */
  async *[Symbol.asyncIterator](): AsyncGenerator<E, void, undefined> {
    let isRead = false
    try {
      for (let at = 0; ; ) {
        const changed = this.#changed.promise
        const hasEnded = this.#hasEnded
        for (; at < this.#events.length; at += 1) yield this.#events[at] as E
        if (hasEnded) break
        await changed
      }
      isRead = true
      await this.#throwUntold()
    } finally {
      if (!isRead) {
        this.cancel()
        await this.ended()
      }
    }
  }

  /** The events have told how an agent failed, but not why it was never started. */
  async #throwUntold(): Promise<void> {
    try {
      await this.result
    } catch (error) {
      if (!(error instanceof DroverError) || error.result === undefined) throw error
    }
  }

  async #run(work: Work<E, R>): Promise<R> {
    // The caller has the run before anything happens.
    await Promise.resolve()
    return await work((event) => {
      this.#events.push(event)
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
    }, this.#cancel.signal)
  }
}
