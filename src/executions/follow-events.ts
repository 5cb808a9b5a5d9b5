/** The events of an execution, as batches that a reader follows until the end of the execution. */
import { raceSignal } from '../kit/race.ts'
import type { LiveExecution } from './live-execution.ts'
import type { ExecutionEvent } from './store/execution.shape.ts'
import { type ExecutionState, isFinal } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionEventsGone } from './store/faults.ts'

/** Where a reader begins, and what ends its reading early. */
export type FollowFrom = {
  after: number
  signal: AbortSignal
  /** This process ends: what runs in it will end too, and is read until then. */
  ending?: AbortSignal
}

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

/** Of an execution that runs in another process, or has ended. All that follow it in this process share what they read. */
export async function* followStored(
  id: string,
  openStore: OpenStore,
  { after, signal: left, ending }: FollowFrom,
): AsyncGenerator<ExecutionEvent[]> {
  const signal = ending === undefined ? left : AbortSignal.any([left, ending])
  using looks = shareLooks(await openStore(), id)
  let last = after
  while (!signal.aborted) {
    const look = looks.current()
    const state = await look.state
    const events = await look.events(last)
    if (events.length > 0) yield events
    else if (isFinal(state)) return
    else await raceSignal(look.changed, signal)
    last = events.at(-1)?.seq ?? last
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

/** The state of an execution at one moment, and its events until it changes. */
type Look = {
  state: Promise<ExecutionState>
  events(after: number): Promise<ExecutionEvent[]>
  /** Resolves after the next change, or when it is time to look. */
  changed: Promise<void>
}

/** By store and execution. */
const shared = new WeakMap<ExecutionStore, Map<string, SharedLooks>>()

/** What is read of one execution. The first follower that asks reads for all; the watch ends when the last one disposes of this. */
function shareLooks(store: ExecutionStore, id: string): Pick<SharedLooks, 'current'> & Disposable {
  const known = shared.get(store) ?? new Map<string, SharedLooks>()
  shared.set(store, known)
  const looks = known.get(id) ?? new SharedLooks(store, id)
  known.set(id, looks)
  looks.followers += 1
  return {
    current: () => looks.current(),
    [Symbol.dispose]() {
      looks.followers -= 1
      if (looks.followers > 0) return
      looks.stop()
      known.delete(id)
    },
  }
}

class SharedLooks {
  followers = 0
  readonly #store: ExecutionStore
  readonly #id: string
  readonly #unwatch: () => void
  readonly #timer: NodeJS.Timeout
  #look: Look | undefined
  #wake = Promise.withResolvers<void>()

  constructor(store: ExecutionStore, id: string) {
    this.#store = store
    this.#id = id
    this.#unwatch = store.watch((notice) => {
      if (notice.type === 'missed' || (notice.type === 'changed' && notice.ids.includes(id))) this.#expire()
    })
    // If notices arrive, nothing else needs to look.
    this.#timer = setInterval(() => void (store.isTold() || this.#expire()), store.pollMs)
  }

  current(): Look {
    this.#look ??= this.#read()
    return this.#look
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#unwatch()
  }

  #expire(): void {
    this.#look = undefined
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }

  /** What changes from now on expires it. */
  #read(): Look {
    const store = this.#store
    const state = store.find(this.#id).then((execution) => execution.state)
    state.catch(() => this.#expire())
    const reads = new Map<number, Promise<ExecutionEvent[]>>()
    const events = (after: number) => {
      const read = reads.get(after) ?? store.events(this.#id, { after, limit: READ_BATCH })
      reads.set(after, read)
      // Those who wait for it have it. Only that there is nothing stays known.
      const forget = () => void reads.delete(after)
      read.then(({ length }) => length > 0 && forget(), forget)
      return read
    }
    return { state, events, changed: this.#wake.promise }
  }
}
