/**
 * Saves executions in the background: many events in one transaction, in order, together with the state they cause. If
 * the store fails for long, an execution keeps the events that were saved so far, so that no number is missing.
 */

import type { LiveExecution } from './live-execution.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import type { ExecutionChange, ExecutionStore } from './store/execution-store.ts'

/** An event is saved at most this much later. */
const SAVE_AFTER_MS = 50
const SAVE_BYTES = 64 * 1024
/** If more waits than this, an agent waits too: it may speak faster than the store saves. */
const FULL_BYTES = 1024 * 1024
/** While the store fails, it is tried this often. */
const RETRY_AFTER_MS = 1000
/** While the store fails, the ends of this many executions wait in memory. */
const MAX_UNSAVED_ENDS = 1000
/** While the store fails, events wait in memory up to this size. */
const WAITING_BYTES = 8 * 1024 * 1024

type Pending = { live: LiveExecution; events: ExecutionEvent[]; bytes: number; isRemoved: boolean }

export type ExecutionWriterOptions = {
  /** Opens the store when the first execution is saved. */
  openStore(): Promise<ExecutionStore>
  onFailure(error: unknown): void
  /** Called when an execution that has ended is saved, or is given up. */
  onEnded(live: LiveExecution): void
  /** Called when others have taken an execution from this process. Nothing more of it is saved. */
  onTaken(live: LiveExecution): void
  /** Called when an execution could not be added, because others have taken this process for dead. It gets a new owner. */
  onOwnerLost(live: LiveExecution): void
}

export class ExecutionWriter {
  readonly #options: ExecutionWriterOptions
  /** By execution id, in the order of their first change. */
  #pending = new Map<string, Pending>()
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()
  /** The save that begins when the running one has ended. */
  #next: Promise<void> | undefined
  #hasFailed = false

  constructor(options: ExecutionWriterOptions) {
    this.#options = options
  }

  /**
   * Notes that an execution changed; `event` is its next event, if it has one. Returns a promise if too much waits to be
   * saved: the caller reads on when it resolves. While the store fails nothing waits for it.
   */
  add(live: LiveExecution, event?: { event: ExecutionEvent; size: number }): Promise<void> | undefined {
    if (live.isTaken) return undefined
    const pending = this.#pendingOf(live)
    if (event !== undefined && live.keep === 'events' && live.failure === undefined) {
      pending.events.push(event.event)
      pending.bytes += event.size
      this.#bytes += event.size
    }
    if (this.#bytes < SAVE_BYTES) {
      this.#timer ??= setTimeout(() => void this.save(), SAVE_AFTER_MS).unref()
      return undefined
    }
    const saved = this.save()
    return this.#bytes < FULL_BYTES || this.#hasFailed ? undefined : saved
  }

  /**
   * Saves the end of an execution and adds it to the usage, or only the latter if nothing of it is stored. A failure is
   * noted in `live.failure`, and the end is saved later.
   */
  async finish(live: LiveExecution): Promise<void> {
    const { id } = live.record
    if (live.isTaken) return
    // Whether it has a row that must be removed.
    if (live.keep === 'none') await this.#saving
    if (live.keep === 'none' && !live.isSaved && !live.countsUsage) {
      this.#pending.delete(id)
      return
    }
    this.#pendingOf(live).isRemoved = live.keep === 'none'
    await this.save()
    if (this.#pending.has(id)) live.failure ??= live.lastError
  }

  /** Whether a change of it is not saved yet. */
  has({ record }: LiveExecution): boolean {
    return this.#pending.has(record.id)
  }

  /** Saves everything that waits. Returns when it is saved, or has failed. */
  save(): Promise<void> {
    this.#next ??= this.#saving.then(() => {
      this.#next = undefined
      return this.#saveNow()
    })
    this.#saving = this.#next
    return this.#saving
  }

  #pendingOf(live: LiveExecution): Pending {
    const { id } = live.record
    const known = this.#pending.get(id)
    if (known !== undefined) return known
    const pending = { live, events: [], bytes: 0, isRemoved: false }
    this.#pending.set(id, pending)
    return pending
  }

  async #saveNow(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    let batch: Pending[] = []
    try {
      const store = await this.#options.openStore()
      // Others end what they may have taken. Its record still changes here, but none of its events is added.
      batch = [...this.#pending.values()].filter(({ live }) => !live.isTaken)
      this.#pending = new Map()
      this.#bytes = 0
      if (batch.length === 0) return
      // Before the next await, so that events and states agree.
      const changes = batch.map(toChange)
      const taken = await store.save(changes)
      this.#hasFailed = false
      for (const [at, { live }] of batch.entries()) {
        if (taken.includes(live.record.id)) continue
        live.noteSaved(changes[at]?.execution.last_seq ?? 0)
        if (live.hasEnded) this.#options.onEnded(live)
      }
      this.#noteTaken(batch.filter(({ live }) => taken.includes(live.record.id)))
    } catch (error) {
      this.#hasFailed = true
      this.#options.onFailure(error)
      for (const pending of batch.length > 0 ? batch : this.#pending.values()) pending.live.lastError = error
      this.#restore(batch)
    }
  }

  #noteTaken(taken: readonly Pending[]): void {
    const [again, gone] = [taken.filter(({ live }) => !live.isSaved), taken.filter(({ live }) => live.isSaved)]
    for (const { live } of again) this.#options.onOwnerLost(live)
    if (again.length > 0) this.#restore(again)
    for (const { live } of gone) {
      live.isTaken = true
      this.#pending.delete(live.record.id)
      this.#options.onTaken(live)
    }
  }

  /** Puts changes that could not be saved in front of those that came meanwhile. */
  #restore(batch: readonly Pending[]): void {
    const later = this.#pending
    this.#pending = new Map(batch.map((pending) => [pending.live.record.id, pending]))
    for (const [id, pending] of later) {
      const earlier = this.#pending.get(id)
      if (earlier === undefined) this.#pending.set(id, pending)
      else
        Object.assign(earlier, { isRemoved: pending.isRemoved, bytes: earlier.bytes + pending.bytes }).events.push(
          ...pending.events,
        )
    }
    const all = [...this.#pending.values()]
    this.#bytes = all.reduce((sum, { bytes }) => sum + bytes, 0)
    if (this.#bytes > WAITING_BYTES) for (const pending of all) this.#giveUp(pending)
    this.#dropOldest(all.filter(({ live }) => live.hasEnded))
    if (all.length > 0) this.#timer ??= setTimeout(() => void this.save(), RETRY_AFTER_MS).unref()
  }

  #dropOldest(ended: readonly Pending[]): void {
    for (const { live } of ended.slice(0, Math.max(0, ended.length - MAX_UNSAVED_ENDS))) {
      this.#pending.delete(live.record.id)
      this.#options.onEnded(live)
    }
  }

  #giveUp(pending: Pending): void {
    pending.live.failure ??= pending.live.lastError
    this.#bytes -= pending.bytes
    Object.assign(pending, { events: [], bytes: 0 })
  }
}

function toChange({ live, events, isRemoved }: Pending): ExecutionChange {
  const { keep, countsUsage, isReserved, isRefused, isSaved, attachments, record } = live
  const execution = toStoredRecord(live, events)
  const kept = { execution, keep, events, attachments }
  return { ...kept, isRemoved, countsUsage, isReserved, isNew: !isSaved, isRefused, result: record.result }
}

/** The number of the last event counts only events that are stored. */
function toStoredRecord({ record, keep, savedSeq }: LiveExecution, events: readonly ExecutionEvent[]): Execution {
  if (keep !== 'none') return { ...record, last_seq: events.at(-1)?.seq ?? savedSeq }
  const { prompt: _prompt, client_request: _request, result: _result, attachments: _attached, ...rest } = record
  return { ...rest, last_seq: 0 }
}
