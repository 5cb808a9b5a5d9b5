import { applyEvent } from '../engine/apply-event.ts'
import type { RunEvent } from '../engine/state/event.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { Fault } from '../kit/fault.ts'
import { jsonInvalid } from '../kit/faults.ts'
import type { Disk } from '../kit/files/disk.ts'
import type { JsonValue } from '../kit/json/json-value.ts'
import { readJson } from '../kit/json/read-json.ts'
import { journalRecordInvalid, runJournalInvalid } from './faults.ts'
import { type JournalLine, journalLines } from './journal-lines.ts'
import type { OpenJournal } from './open-journal.ts'
import { decodeRecord, hasRecordEnd, type JournalEnd, NO_RECORDS, RECORD_LIMIT_BYTES } from './record.ts'

/**
 * The end of a journal: `complete` with a line feed; `unterminated` if the last record lacks its line feed; `torn` if the
 * last record is cut off, so its writer never reported it as recorded.
 */
export type Tail =
  | { readonly is: 'complete' }
  | { readonly is: 'unterminated' }
  | { readonly is: 'torn'; readonly start: number; readonly bytes: Buffer }

export type Replayed = { readonly run: Run; readonly end: JournalEnd; readonly tail: Tail }

type Progress = Pick<Replayed, 'run' | 'end'>
type Step = Progress & { readonly event: RunEvent }

/**
 * Reads a journal and applies its events. Throws `run_journal_invalid` for any problem except a torn tail. `onEvent` is
 * called after each event is applied.
 */
export function replayJournal(journal: OpenJournal, disk: Disk, onEvent?: (event: RunEvent) => void): Replayed {
  let progress: Progress | undefined
  let tail: Tail = { is: 'complete' }
  for (const line of recordLines(journal, disk)) {
    const next = applyLine(journal, progress, line)
    if (next === undefined) {
      tail = { is: 'torn', start: line.start, bytes: line.bytes }
    } else {
      progress = next
      onEvent?.(next.event)
      if (!line.isTerminated) tail = { is: 'unterminated' }
    }
  }
  if (progress === undefined) throw invalid(journal, 'it has no complete record')
  const { run, end } = progress
  return { run, end, tail }
}

/** The run after its first record. Only that record is read. */
export function readFirstRecord(journal: OpenJournal, disk: Disk): Run {
  const [first] = recordLines(journal, disk)
  const started = first && applyLine(journal, undefined, first)
  if (started === undefined) throw invalid(journal, 'it has no complete record')
  return started.run
}

/** The run after a record that is about to be written. This ensures that the record can be read again. */
export function readBack({ record, runId, before }: { record: Buffer; runId: string; before?: Progress }): Progress {
  const value = readJson(record, { input: 'the record', limitBytes: RECORD_LIMIT_BYTES })
  return applyRecord(runId, before, { bytes: record.subarray(0, -1), value })
}

function* recordLines({ descriptor }: OpenJournal, disk: Disk): Generator<JournalLine> {
  for (const line of journalLines(descriptor, disk)) if (!isBlank(line)) yield line
}

/** An unterminated line is never blank, but torn. */
function isBlank({ bytes, isTerminated, isOversize }: JournalLine): boolean {
  return isTerminated && !isOversize && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

/** Applies one line; undefined if it is the torn end of the journal. */
function applyLine(journal: OpenJournal, before: Progress | undefined, line: JournalLine): Step | undefined {
  try {
    const value = readLine(line)
    return value === undefined ? undefined : applyRecord(journal.runId, before, { bytes: line.bytes, value })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalid(journal, `record ${(before?.end.sequence ?? 0) + 1} is invalid: ${error.message}`, error)
  }
}

function applyRecord(
  runId: string,
  before: Progress | undefined,
  { bytes, value }: { bytes: Buffer; value: JsonValue },
): Step {
  const { event, end } = decodeRecord(bytes, value, before?.end ?? NO_RECORDS)
  const { run_id } = event.data
  if (run_id !== runId) throw journalRecordInvalid({ problem: `it belongs to the run ${run_id}` })
  return { run: applyEvent(before?.run, event), end, event }
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
    const isJson = !(error instanceof Fault && error.code === jsonInvalid.code)
    if (isTerminated || isJson || hasRecordEnd(bytes)) throw error
    return undefined
  }
}

function invalid({ runId, path }: OpenJournal, problem: string, cause?: unknown): Fault {
  return runJournalInvalid({ run_id: runId, path, problem }, cause)
}
