/** Reads a file of records line by line and handles a record that a crash has cut off. */
import { Fault, isFault } from '../kit/fault.ts'
import { jsonInvalid } from '../kit/faults.ts'
import type { Disk } from '../kit/files/disk.ts'
import { replaceFile, writeFully } from '../kit/files/write-file.ts'
import { readJson } from '../kit/json/read-json.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { journalRecordInvalid, runJournalInvalid } from './faults.ts'
import { hasRecordEnd, type JournalEnd, RECORD_LIMIT_BYTES } from './hash-chain.ts'
import type { OpenJournal } from './open-journal.ts'

/**
 * The end of a journal: `complete` with a line feed; `unterminated` if the last record lacks its line feed; `torn` if the
 * last record is cut off, so its writer never reported it as recorded.
 */
export type Tail =
  | { readonly is: 'complete' }
  | { readonly is: 'unterminated' }
  | { readonly is: 'torn'; readonly start: number; readonly bytes: Buffer }

/** A line without its line feed, and the JSON in it. */
export type ParsedLine = { readonly bytes: Buffer; readonly value: JsonValue }

type Ended = { readonly end: JournalEnd }

/** Applies a record to what the records before it made. */
export type ApplyRecord<P extends Ended> = (before: P | undefined, line: ParsedLine) => P

/** Applies all records. Throws `run_journal_invalid` for any problem except a torn tail. */
export function readRecords<P extends Ended>(
  journal: OpenJournal,
  disk: Disk,
  apply: ApplyRecord<P>,
): { readonly last: P | undefined; readonly tail: Tail } {
  let last: P | undefined
  let tail: Tail = { is: 'complete' }
  for (const line of recordLines(journal, disk)) {
    const next = applyLine(journal, last, { line, apply })
    if (next === undefined) {
      tail = { is: 'torn', start: line.start, bytes: line.bytes }
    } else {
      last = next
      if (!line.isTerminated) tail = { is: 'unterminated' }
    }
  }
  return { last, tail }
}

/** Applies the first record only; undefined if there is none. */
export function readFirst<P extends Ended>(journal: OpenJournal, disk: Disk, apply: ApplyRecord<P>): P | undefined {
  const [line] = recordLines(journal, disk)
  return line && applyLine(journal, undefined, { line, apply })
}

function* recordLines({ descriptor }: OpenJournal, disk: Disk): Generator<JournalLine> {
  for (const line of journalLines(descriptor, disk)) if (!isBlank(line)) yield line
}

/** An unterminated line is never blank, but torn. */
function isBlank({ bytes, isTerminated, isOversize }: JournalLine): boolean {
  return isTerminated && !isOversize && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

type Application<P extends Ended> = { readonly line: JournalLine; readonly apply: ApplyRecord<P> }

/** Applies one line; undefined if it is the torn end of the journal. */
function applyLine<P extends Ended>(
  { runId, path }: OpenJournal,
  before: P | undefined,
  { line, apply }: Application<P>,
): P | undefined {
  try {
    const value = readLine(line)
    return value === undefined ? undefined : apply(before, { bytes: line.bytes, value })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const problem = `record ${(before?.end.sequence ?? 0) + 1} is invalid: ${error.message}`
    throw runJournalInvalid({ run_id: runId, path, problem }, error)
  }
}

/**
 * Parses a line; undefined if it is torn (the start of an object is never valid JSON). A complete record followed by other
 * bytes is an error: that record may have been reported as recorded, and a crash cannot cause it.
 */
function readLine({ bytes, isTerminated, isOversize }: JournalLine): JsonValue | undefined {
  if (isOversize && isTerminated)
    throw journalRecordInvalid({ problem: `it has more than ${RECORD_LIMIT_BYTES} bytes` })
  if (isOversize) return undefined
  try {
    return readJson(bytes, { input: 'the line', limitBytes: RECORD_LIMIT_BYTES })
  } catch (error) {
    const isJson = !isFault(error, jsonInvalid)
    if (isTerminated || isJson || hasRecordEnd(bytes)) throw error
    return undefined
  }
}

const LF = 0x0a
const CHUNK_BYTES = 64 * 1024

/** A line of a journal, without its line feed. `bytes` is empty if the line is too long for a record. */
type JournalLine = {
  /** Its offset in the file. */
  readonly start: number
  readonly bytes: Buffer
  readonly isTerminated: boolean
  readonly isOversize: boolean
}

/** The lines of an open file from its start, read in chunks. At most one record is held in memory. */
export function* journalLines(descriptor: number, disk: Disk): Generator<JournalLine> {
  const line = new LineBuffer()
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const count = disk.readSync(descriptor, chunk, 0, chunk.length, null)
    if (count === 0) break
    let from = 0
    for (let at = chunk.indexOf(LF); at !== -1 && at < count; at = chunk.indexOf(LF, from)) {
      line.add(chunk.subarray(from, at))
      yield line.end({ isTerminated: true })
      from = at + 1
    }
    line.add(chunk.subarray(from, count))
  }
  if (line.length > 0) yield line.end({ isTerminated: false })
}

/** Collects the chunks of one line. */
class LineBuffer {
  length = 0
  #start = 0
  #pieces: Buffer[] = []

  add(piece: Buffer): void {
    this.length += piece.length
    if (this.#isOversize()) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(Buffer.from(piece)) // a copy, because the chunk is reused
  }

  end({ isTerminated }: { isTerminated: boolean }): JournalLine {
    const line = {
      start: this.#start,
      bytes: Buffer.concat(this.#pieces),
      isTerminated,
      isOversize: this.#isOversize(),
    }
    this.#start += this.length + (isTerminated ? 1 : 0)
    this.length = 0
    this.#pieces = []
    return line
  }

  /** The line feed counts, even if it is missing. */
  #isOversize(): boolean {
    return this.length + 1 > RECORD_LIMIT_BYTES
  }
}

const LINE_FEED = Buffer.from('\n')

/**
 * Repairs the last line of a journal. Requires the exclusive lock. A torn line is cut off, after a copy was written to
 * `journal.jsonl.broken` (unless it is longer than any record). Nothing else ever shortens a journal that was read.
 */
export function repairTail({ path, descriptor }: OpenJournal, tail: Tail, disk: Disk): void {
  if (tail.is === 'complete') return
  if (tail.is === 'torn') {
    if (tail.bytes.length > 0) replaceFile({ path: `${path}.broken`, bytes: tail.bytes, mode: 0o600 }, disk)
    disk.ftruncateSync(descriptor, tail.start)
  } else {
    writeFully({ descriptor, bytes: LINE_FEED }, disk)
  }
  disk.fsyncSync(descriptor)
}
