/** A second file of records beside the journal of a run, with one writer at a time: the holder of its lock. */
import type { BigIntStats } from 'node:fs'
import { basename } from 'node:path'
import { type Disk, isSameFile } from '../kit/files/disk.ts'
import { type Lock, takeIfFree } from '../kit/files/lock.ts'
import { ensureEmptyFile, replaceFile } from '../kit/files/write-file.ts'
import { readJson } from '../kit/json/read-json.ts'
import { appendRecord } from './append-record.ts'
import { recordsTampered } from './faults.ts'
import {
  decodeLine,
  encodeLine,
  type JournalEnd,
  NO_RECORDS,
  RECORD_LIMIT_BYTES,
  type RecordedEvent,
} from './hash-chain.ts'
import { Mutation } from './mutation.ts'
import { closeJournal, type OpenJournal, openRecords } from './open-journal.ts'
import { readRecords, repairTail, type Tail } from './read-records.ts'
import { wrapReadErrors } from './run-store.ts'

/** Long enough for a process that only checks whether the lock is held. */
const LOCK_WAIT_MS = 200

/** Which file it is, and how its events are checked. */
export type EventFileOptions<E extends RecordedEvent> = {
  readonly runId: string
  readonly path: string
  readonly disk: Disk
  /** Returns a valid event and throws a fault for any other. */
  readonly check: (event: RecordedEvent) => E
  /** Where the events are kept if another process tampers with the file. */
  readonly keptPath: string
  /** The last of the kept events: it says what was done to the file. */
  readonly lastEvent: (at: string, problem: string) => E
}

/** Which file is read: what a writer has kept counts, not the file that was tampered with. */
function toReadPath<E extends RecordedEvent>({ path, keptPath, disk }: EventFileOptions<E>): string {
  return disk.lstatSync(keptPath, { throwIfNoEntry: false }) === undefined ? path : keptPath
}

type Loaded<E> = { readonly events: readonly E[]; readonly end: JournalEnd; readonly tail: Tail }

/** The events so far, oldest first; none if the file does not exist. It locks, creates and repairs nothing. */
export function readEventFile<E extends RecordedEvent>(options: EventFileOptions<E>): readonly E[] {
  const { runId, disk } = options
  return wrapReadErrors(runId, () => {
    const path = toReadPath(options)
    if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
    const journal = openRecords({ runId, path }, 'read', disk)
    try {
      return load(journal, options).events
    } finally {
      closeJournal(journal, disk)
    }
  })
}

/** The open file of its only writer. */
export class EventFile<E extends RecordedEvent> implements Disposable {
  readonly events: E[]
  readonly #options: EventFileOptions<E>
  readonly #journal: OpenJournal
  readonly #lock: Lock
  #end: JournalEnd
  #lengthBytes: number
  /** The state of the file when this process last wrote to it, or tried to. */
  #stamp: BigIntStats

  private constructor(options: EventFileOptions<E>, opened: { journal: OpenJournal; lock: Lock; loaded: Loaded<E> }) {
    this.#options = options
    this.#journal = opened.journal
    this.#lock = opened.lock
    this.#end = opened.loaded.end
    this.#stamp = options.disk.fstatSync(opened.journal.descriptor, { bigint: true })
    this.#lengthBytes = Number(this.#stamp.size)
    this.events = [...opened.loaded.events]
  }

  /** Locks, creates and repairs the file. Undefined if another process is its writer. Throws `drive_records_tampered`. */
  static async open<E extends RecordedEvent>(
    options: EventFileOptions<E>,
    lockPath: string,
  ): Promise<EventFile<E> | undefined> {
    const { runId, path, keptPath, disk } = options
    const lock = await takeIfFree({ path: lockPath, mode: 'exclusive', waitMs: LOCK_WAIT_MS })
    if (lock === undefined) return undefined
    try {
      if (toReadPath(options) === keptPath)
        throw recordsTampered({ run_id: runId, path, kept: keptPath, problem: 'was changed by another process' })
      if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) ensureEmptyFile(path, disk)
      const journal = wrapReadErrors(runId, () => openRecords(options, 'write', disk))
      try {
        const loaded = wrapReadErrors(runId, () => load(journal, options))
        repairTail(journal, loaded.tail, disk)
        return new EventFile(options, { journal, lock, loaded })
      } catch (error) {
        closeJournal(journal, disk)
        throw error
      }
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** Appends an event. It is durable when this returns. Throws `drive_records_tampered`. */
  append(event: E): void {
    const { runId, disk, check } = this.#options
    this.#refuseTampered(event)
    const mutation = new Mutation(runId)
    const { record, end } = mutation.step('validation', () => {
      const record = encodeLine(event, runId, this.#end)
      return { record, end: readBack(record, this.#end, check) }
    })
    try {
      appendRecord(this.#journal, { lengthBytes: this.#lengthBytes, record, mutation }, disk)
    } finally {
      this.#stamp = disk.fstatSync(this.#journal.descriptor, { bigint: true })
    }
    this.#lengthBytes += record.length
    this.#end = end
    this.events.push(event)
  }

  /** Locks keep out other drovers, not an agent that writes to the file. */
  #refuseTampered(event: E): void {
    const { runId, path, keptPath, disk, lastEvent } = this.#options
    const problem = this.#findTampering()
    if (problem === undefined) return
    const kept = [...this.events, event, lastEvent(event.at, problem)]
    replaceFile({ path: keptPath, bytes: encodeAll(kept, runId), mode: 0o600 }, disk)
    throw recordsTampered({ run_id: runId, path, kept: keptPath, problem })
  }

  /** What another process has done to the file since the last write. */
  #findTampering(): string | undefined {
    const { path, keptPath, disk } = this.#options
    const found = disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined) return 'was removed'
    if (!isSameFile(this.#stamp, found)) return 'was replaced'
    if (found.size < this.#stamp.size) return 'was shortened'
    if (found.size > this.#stamp.size || found.mtimeNs !== this.#stamp.mtimeNs) return 'was edited'
    return disk.lstatSync(keptPath, { throwIfNoEntry: false }) && `got a file ${basename(keptPath)} beside it`
  }

  [Symbol.dispose](): void {
    closeJournal(this.#journal, this.#options.disk)
    this.#lock.release()
  }
}

function encodeAll(events: readonly RecordedEvent[], runId: string): Buffer {
  let end = NO_RECORDS
  const lines = events.map((event) => {
    const line = encodeLine(event, runId, end)
    end = readBack(line, end, () => {})
    return line
  })
  return Buffer.concat(lines)
}

/** The end of the file with a record that is about to be written. This ensures that the record can be read again. */
function readBack(record: Buffer, before: JournalEnd, check: (event: RecordedEvent) => unknown): JournalEnd {
  const value = readJson(record, { input: 'the record', limitBytes: RECORD_LIMIT_BYTES })
  const { end, ...event } = decodeLine(record.subarray(0, -1), value, before)
  check(event)
  return end
}

function load<E extends RecordedEvent>(journal: OpenJournal, { disk, check }: EventFileOptions<E>): Loaded<E> {
  const events: E[] = []
  const { last, tail } = readRecords<{ end: JournalEnd }>(journal, disk, (before, { bytes, value }) => {
    const { end, ...event } = decodeLine(bytes, value, before?.end ?? NO_RECORDS)
    events.push(check(event))
    return { end }
  })
  return { events, end: last?.end ?? NO_RECORDS, tail }
}
