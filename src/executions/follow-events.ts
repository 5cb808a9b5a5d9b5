/** The events of an execution, as batches that a reader follows until the end of the execution. */
import { raceSignal } from '../kit/race.ts'
import type { LiveExecution } from './live-execution.ts'
import type { ExecutionEvent } from './store/execution.shape.ts'
import { isFinal } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionEventsGone } from './store/faults.ts'

/** Where a reader begins, and what ends its reading early. */
export type FollowFrom = { after: number; signal: AbortSignal }

type OpenStore = () => Promise<ExecutionStore>

const READ_BATCH = 500

/** Of an execution that runs in this process. */
export async function* followLive(
  live: LiveExecution,
  openStore: OpenStore,
  { after, signal }: FollowFrom,
): AsyncGenerator<ExecutionEvent[]> {
  let last = after
  while (!signal.aborted) {
    const changed = live.changed()
    const hasEnded = live.hasEnded
    const events = await readLive(live, openStore, last)
    if (events.length > 0) yield events
    else if (hasEnded) return
    else await raceSignal(changed, signal)
    last = events.at(-1)?.seq ?? last
  }
}

/** Of an execution that runs in another process, or has ended. */
export async function* followStored(
  id: string,
  openStore: OpenStore,
  { after, signal }: FollowFrom,
): AsyncGenerator<ExecutionEvent[]> {
  const store = await openStore()
  const changes = new ChangeWaiter(store, id)
  try {
    let last = after
    while (!signal.aborted) {
      const changed = changes.next()
      const { state } = await store.find(id)
      const events = await store.events(id, { after: last, limit: READ_BATCH })
      if (events.length > 0) yield events
      else if (isFinal(state)) return
      else await raceSignal(changed, signal)
      last = events.at(-1)?.seq ?? last
    }
  } finally {
    changes.stop()
  }
}

/** From memory, otherwise from the store. */
async function readLive(live: LiveExecution, openStore: OpenStore, after: number): Promise<ExecutionEvent[]> {
  const events = live.eventsAfter(after)
  if (events !== undefined) return events
  if (live.keep === 'events') {
    const store = await openStore()
    const stored = await store.events(live.record.id, { after, limit: READ_BATCH })
    if (stored.length > 0) return stored
  }
  throw executionEventsGone({ id: live.record.id, after, first: live.firstSeq })
}

/** Waits for changes that other processes make to one execution. */
class ChangeWaiter {
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
