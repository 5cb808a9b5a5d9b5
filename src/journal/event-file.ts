/** A second file of records beside the journal of a run, with one writer at a time: the holder of its lock. */
import { Fault } from '../kit/fault.ts'
import { lockBusy } from '../kit/faults.ts'
import type { Disk } from '../kit/files/disk.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { ensureEmptyFile } from '../kit/files/write-file.ts'
import { readJson } from '../kit/json/read-json.ts'
import { appendRecord } from './append-record.ts'
import { wrapReadErrors } from './find-run.ts'
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
import { readRecords, type Tail } from './read-records.ts'
import { repairTail } from './repair-tail.ts'

/** Long enough for a process that only checks whether the lock is held. */
const LOCK_WAIT_MS = 200

/** Which file it is, and how its events are checked. */
export type EventFileOptions<E extends RecordedEvent> = {
  readonly runId: string
  readonly path: string
  readonly disk: Disk
  /** Returns a valid event and throws a fault for any other. */
  readonly check: (event: RecordedEvent) => E
}

type Loaded<E> = { readonly events: readonly E[]; readonly end: JournalEnd; readonly tail: Tail }

/** The events so far, oldest first; none if the file does not exist. It locks, creates and repairs nothing. */
export function readEventFile<E extends RecordedEvent>(options: EventFileOptions<E>): readonly E[] {
  const { runId, path, disk } = options
  return wrapReadErrors(runId, () => {
    if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
    const journal = openRecords(options, 'read', disk)
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

  private constructor(options: EventFileOptions<E>, opened: { journal: OpenJournal; lock: Lock; loaded: Loaded<E> }) {
    this.#options = options
    this.#journal = opened.journal
    this.#lock = opened.lock
    this.#end = opened.loaded.end
    this.#lengthBytes = Number(options.disk.fstatSync(opened.journal.descriptor, { bigint: true }).size)
    this.events = [...opened.loaded.events]
  }

  /** Locks, creates and repairs the file. Undefined if another process is its writer. */
  static async open<E extends RecordedEvent>(
    options: EventFileOptions<E>,
    lockPath: string,
  ): Promise<EventFile<E> | undefined> {
    const { runId, path, disk } = options
    const lock = await lockNow(lockPath)
    if (lock === undefined) return undefined
    try {
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

  /** Appends an event. It is durable when this returns. */
  append(event: E): void {
    const { runId, disk, check } = this.#options
    const mutation = new Mutation(runId)
    const { record, end } = mutation.step('validation', () => {
      const record = encodeLine(event, runId, this.#end)
      return { record, end: readBack(record, this.#end, check) }
    })
    appendRecord(this.#journal, { lengthBytes: this.#lengthBytes, record, mutation }, disk)
    this.#lengthBytes += record.length
    this.#end = end
    this.events.push(event)
  }

  [Symbol.dispose](): void {
    closeJournal(this.#journal, this.#options.disk)
    this.#lock.release()
  }
}

/** The end of the file with a record that is about to be written. This ensures that the record can be read again. */
function readBack(record: Buffer, before: JournalEnd, check: (event: RecordedEvent) => unknown): JournalEnd {
  const value = readJson(record, { input: 'the record', limitBytes: RECORD_LIMIT_BYTES })
  const { end, ...event } = decodeLine(record.subarray(0, -1), value, before)
  check(event)
  return end
}

async function lockNow(path: string): Promise<Lock | undefined> {
  try {
    return await takeLock({ path, mode: 'exclusive', waitMs: LOCK_WAIT_MS })
  } catch (error) {
    if (error instanceof Fault && error.code === lockBusy.code) return undefined
    throw error
  }
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
