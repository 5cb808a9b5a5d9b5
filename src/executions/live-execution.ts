/** An execution that runs in this process, with its latest events in memory. */
import type { AttachedFile } from '../agents/adapter/attached-file.ts'
import type { ExecutionStart } from '../prompts/execution-recorder.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import type { KeepMode } from './store/execution-states.ts'

/** The events that stay in memory for readers. */
const MEMORY_LIMIT = 4 * 1024 * 1024
/** What an event takes in addition to its texts. */
const EVENT_OVERHEAD = 100

type SizedEvent = { event: ExecutionEvent; size: number }

type LiveOptions = {
  keep: KeepMode
  cancel: () => void
  say?: ExecutionStart['onMessage']
  ceilings?: ExecutionStart['ceilings']
  countsUsage: boolean
  /** The number of its last event, if another process has stored it. */
  savedSeq?: number | undefined
  /** Stored with the first change. */
  attachments?: readonly AttachedFile[] | undefined
}

export class LiveExecution {
  readonly keep: KeepMode
  /** Until they are stored. */
  attachments: readonly AttachedFile[]
  readonly cancel: () => void
  /** Gives its agent a message. Undefined: it has none. */
  readonly say: ExecutionStart['onMessage']
  /** The limits of the one that has started it. */
  readonly ceilings: ExecutionStart['ceilings']
  /** Whether its end is added to the usage. */
  readonly countsUsage: boolean
  record: Execution
  hasEnded = false
  /** Whether an agent has said anything. */
  hasAgent = false
  /** It failed before an agent had its prompt. */
  isRefused = false
  /** Whether its end is charged to budgets. */
  isReserved = false
  /** Whether the store has a row for it. */
  isSaved = false
  /** Others have taken it from this process, because they took the process for dead. */
  isTaken = false
  /** The number of the last stored event. */
  savedSeq = 0
  /** Why the latest attempt to save it failed. */
  lastError: unknown
  /** Set once changes of it are lost: later events are not stored. */
  failure: unknown
  /** Those before `#first` are no longer needed. They are removed together, because each removal moves all others. */
  #events: SizedEvent[] = []
  #first = 0
  #bytes = 0
  #lastSeq = 0
  #wake = Promise.withResolvers<void>()

  constructor(record: Execution, { attachments = [], savedSeq, ...options }: LiveOptions) {
    const { keep, cancel, say, ceilings, countsUsage } = options
    this.record = record
    this.keep = keep
    this.attachments = attachments
    this.ceilings = ceilings
    this.cancel = cancel
    this.say = say
    this.countsUsage = countsUsage
    if (savedSeq === undefined) return
    this.isSaved = true
    this.savedSeq = savedSeq
    this.#lastSeq = savedSeq
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Numbers the event and wakes up the readers. Returns the event and its size in bytes. */
  append(event: Omit<ExecutionEvent, 'seq'>): SizedEvent {
    this.#lastSeq += 1
    const sized = { event: { seq: this.#lastSeq, ...event }, size: estimateSize(event.content) + EVENT_OVERHEAD }
    this.#events.push(sized)
    this.#bytes += sized.size
    this.#forgetOldest()
    this.#notify()
    return sized
  }

  #forgetOldest(): void {
    for (; this.#bytes > MEMORY_LIMIT && this.#first < this.#events.length - 1; this.#first += 1) {
      this.#bytes -= this.#events[this.#first]?.size ?? 0
    }
    if (this.#first <= this.#events.length / 2) return
    this.#events = this.#events.slice(this.#first)
    this.#first = 0
  }

  /** The events after a number; undefined if the next one is no longer in memory. */
  eventsAfter(after: number): ExecutionEvent[] | undefined {
    if (after + 1 < this.firstSeq) return undefined
    return this.#events.slice(this.#first + after + 1 - this.firstSeq).map(({ event }) => event)
  }

  noteSaved(seq: number): void {
    this.isSaved = true
    this.savedSeq = seq
    this.attachments = []
  }

  get firstSeq(): number {
    return this.#lastSeq - (this.#events.length - this.#first) + 1
  }

  /** No event follows. */
  end(): void {
    this.hasEnded = true
    this.#notify()
  }

  #notify(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }

  /** Resolves at the next event or change of state. */
  changed(): Promise<void> {
    return this.#wake.promise
  }
}

/** An estimate that is cheap: most events are one short text. */
function estimateSize(content: ExecutionEvent['content']): number {
  let size = 0
  for (const value of Object.values(content)) {
    size += typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 8
  }
  return size
}
