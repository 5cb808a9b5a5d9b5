/** Starts queued runs when there is room. The record of a run is the claim: it is written before the run is driven. */
import { join } from 'node:path'
import { toTimestamp } from '../../kit/clock.ts'
import { withLock } from '../../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import type { Log } from '../../kit/log.ts'
import { type QueuePlace, reorder } from '../decide/queue.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import { findDriven, listDriven, saveDriven } from '../record/driven-records.ts'
import { type QueuePlaces, readPlan } from './read-queue.ts'

export type RunQueueOptions = QueuePlaces & {
  readonly log: Log
  readonly shutdown: AbortSignal
  /** Drives a run that was taken from the queue. Returns when it is driven. */
  readonly drive: (record: DrivenRecord) => Promise<void>
}

/** What other processes do is noticed this late: a run before that is delivered, or one that is queued. */
const LOOK_MS = 2000

export class RunQueueStarter {
  readonly #options: RunQueueOptions
  #isOpen = false
  #looksAgain = false
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: RunQueueOptions) {
    this.#options = options
  }

  /** From now on, queued runs are started. */
  open(): void {
    this.#isOpen = true
    this.look()
  }

  /** Resolves when no run is being started. */
  async close(): Promise<void> {
    this.#isOpen = false
    clearTimeout(this.#timer)
    await this.#looking
  }

  /** Starts what can be started. Call it when a run has ended, or was queued. */
  look(): void {
    if (!this.#isOpen) return
    clearTimeout(this.#timer)
    this.#looksAgain = true
    this.#looking ??= this.#startAll()
      .catch((error: unknown) => this.#options.log.error({ reason: String(error) }, 'queued runs could not be started'))
      .finally(() => {
        this.#looking = undefined
        this.#lookLater()
      })
  }

  async #startAll(): Promise<void> {
    while (this.#looksAgain && this.#canStart()) {
      this.#looksAgain = false
      for (let taken = await this.#take(); taken !== undefined; taken = await this.#take()) {
        this.#options.log.info({ run: taken.run_id }, 'starts a queued run')
        await this.#options.drive(taken)
      }
    }
  }

  #canStart(): boolean {
    return this.#isOpen && !this.#options.shutdown.aborted
  }

  #lookLater(): void {
    const { directory } = this.#options
    if (!this.#canStart() || !listDriven(directory).some(({ queued }) => queued !== undefined)) return
    this.#timer = setTimeout(() => this.look(), LOOK_MS)
    this.#timer.unref()
  }

  /** Another server of this user has the same queue. */
  async #take(): Promise<DrivenRecord | undefined> {
    if (!this.#canStart()) return undefined
    return await withQueueLock(this.#options.directory, async () => {
      const next = (await readPlan(this.#options)).find(({ waitsFor }) => waitsFor === undefined)
      const record = next && findDriven(this.#options.directory, next.id)
      if (record === undefined) return undefined
      const { queued: _, ...rest } = record
      const taken_at = toTimestamp(this.#options.clock.now())
      return saveDriven(this.#options.directory, { ...rest, is_server_driven: true, taken_at })
    })
  }
}

type NewEntry = { readonly record: DrivenRecord; readonly isFirst: boolean }

/** Puts a run at the end of the queue, or before all others. */
export async function saveQueued(directory: string, { record, isFirst }: NewEntry): Promise<DrivenRecord> {
  return await withQueueLock(directory, () => {
    const positions = listDriven(directory).flatMap(({ queued }) => queued?.position ?? [])
    const queued = isFirst ? firstPlace(positions) : { position: Math.max(0, ...positions) + 1 }
    return saveDriven(directory, { ...record, is_server_driven: false, queued })
  })
}

type Move = {
  readonly id: string
  readonly place: QueuePlace
  /** The runs that the caller may move and pass. */
  readonly isOwn?: (record: DrivenRecord) => boolean
}

/**
 * Moves a queued run. Who may pass every run sets the order up to it: these start in this order, and those behind take turns
 * as before. Others swap the places of their own runs. Undefined if one that is named does not wait any more.
 */
export async function moveQueued(places: QueuePlaces, { id, place, isOwn }: Move): Promise<DrivenRecord | undefined> {
  const { directory } = places
  return await withQueueLock(directory, async () => {
    const planned = (await readPlan(places)).flatMap((each) => findDriven(directory, each.id) ?? [])
    const records = isOwn === undefined ? planned : planned.filter(isOwn)
    const byId = new Map(records.map((record) => [record.run_id, record]))
    const order = reorder([...byId.keys()], id, place)?.flatMap((each) => byId.get(each) ?? [])
    if (order === undefined) return undefined
    const moved = isOwn === undefined ? pinUpTo(order, id) : swapPlaces(order, records)
    for (const record of moved) saveDriven(directory, record)
    return findDriven(directory, id)
  })
}

/** What was set before stays set, in its order. */
function pinUpTo(order: readonly DrivenRecord[], id: string): DrivenRecord[] {
  const last = order.findIndex(({ run_id: each }) => each === id)
  const pinned = order.filter(({ queued }, at) => at <= last || queued?.is_first === true)
  return pinned.map((record, at) => ({ ...record, queued: { position: at - pinned.length, is_first: true } }))
}

function swapPlaces(order: readonly DrivenRecord[], before: readonly DrivenRecord[]): DrivenRecord[] {
  return order.flatMap((record, at) => {
    const queued = before[at]?.queued
    return queued === undefined ? [] : [{ ...record, queued }]
  })
}

function firstPlace(positions: readonly number[]): NonNullable<DrivenRecord['queued']> {
  return { position: Math.min(1, ...positions) - 1, is_first: true }
}

async function withQueueLock<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
  ensurePrivateDirectory({ path: directory })
  return await withLock({ path: join(directory, 'queue.lock'), mode: 'exclusive' }, work)
}
