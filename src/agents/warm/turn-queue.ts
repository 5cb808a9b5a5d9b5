/** The events of a turn on their way to its reader. A slow reader makes the agent wait. */
import type { AgentEvent } from '../adapter/agent.ts'

/** More events wait with the agent. */
const ROOM = 256

export class TurnQueue {
  readonly #events: AgentEvent[] = []
  #isEnded = false
  #isHurried = false
  /** Resolved when there is something to read. */
  #arrived = Promise.withResolvers<void>()
  /** Resolved when there is room again. */
  #drained = Promise.withResolvers<void>()

  /** Resolves when there is room for more. What comes after the end is dropped. */
  async push(events: readonly AgentEvent[]): Promise<void> {
    if (this.#isEnded || events.length === 0) return
    this.#events.push(...events)
    this.#arrived.resolve()
    while (this.#events.length >= ROOM && !this.#isEnded && !this.#isHurried) await this.#drained.promise
  }

  /** From now on nothing waits for the reader, because the turn must end. */
  hurry(): void {
    this.#isHurried = true
    this.#release()
  }

  end(): void {
    this.#isEnded = true
    this.#arrived.resolve()
    this.#release()
  }

  #release(): void {
    this.#drained.resolve()
    this.#drained = Promise.withResolvers<void>()
  }

  /** The events in batches, until the end. */
  async *read(): AsyncGenerator<AgentEvent[], void> {
    for (;;) {
      const events = this.#events.splice(0)
      this.#release()
      if (events.length > 0) yield events
      else if (this.#isEnded) return
      else {
        await this.#arrived.promise
        this.#arrived = Promise.withResolvers<void>()
      }
    }
  }
}
