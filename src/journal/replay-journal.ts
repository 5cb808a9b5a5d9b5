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
 * What stands behind the last line feed of a journal: nothing; a whole record that lacks only its line feed; or the
 * beginning of one, whose writer was never told that it is recorded.
 */
export type Tail =
  | { readonly is: 'ended' }
  | { readonly is: 'unended' }
  | { readonly is: 'torn'; readonly start: number; readonly bytes: Buffer }

export type Replayed = { readonly run: Run; readonly end: JournalEnd; readonly tail: Tail }

type Progress = Pick<Replayed, 'run' | 'end'>
type Step = Progress & { readonly event: RunEvent }

/**
 * The run that a journal makes. Whatever is wrong with it, but for a torn tail, is `run_journal_invalid`. Each event goes by
 * `watch` once it has been applied.
 */
export function replayJournal(journal: OpenJournal, disk: Disk, watch?: (event: RunEvent) => void): Replayed {
  let progress: Progress | undefined
  let tail: Tail = { is: 'ended' }
  for (const line of recordLines(journal, disk)) {
    const next = takeLine(journal, progress, line)
    if (next === undefined) {
      tail = { is: 'torn', start: line.start, bytes: line.bytes }
    } else {
      progress = next
      watch?.(next.event)
      if (!line.isEnded) tail = { is: 'unended' }
    }
  }
  if (progress === undefined) throw invalid(journal, 'it has no whole record')
  const { run, end } = progress
  return { run, end, tail }
}

/** The run as its first record began it. No more than that is read. */
export function readBeginning(journal: OpenJournal, disk: Disk): Run {
  const [first] = recordLines(journal, disk)
  const begun = first && takeLine(journal, undefined, first)
  if (begun === undefined) throw invalid(journal, 'it has no whole record')
  return begun.run
}

/** What a line that is about to be written makes of the run: nothing is recorded that could not be read again. */
export function readBack({ record, runId, before }: { record: Buffer; runId: string; before?: Progress }): Progress {
  const value = readJson(record, { input: 'the record', limitBytes: RECORD_LIMIT_BYTES })
  return takeRecord(runId, before, { bytes: record.subarray(0, -1), value })
}

function* recordLines({ descriptor }: OpenJournal, disk: Disk): Generator<JournalLine> {
  for (const line of journalLines(descriptor, disk)) if (!isBlank(line)) yield line
}

/** One that is not ended is never blank: it is torn. */
function isBlank({ bytes, isEnded, isOversize }: JournalLine): boolean {
  return isEnded && !isOversize && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

/** Goes on by one line; undefined if that is the torn end of the journal. */
function takeLine(journal: OpenJournal, before: Progress | undefined, line: JournalLine): Step | undefined {
  try {
    const value = readLine(line)
    return value === undefined ? undefined : takeRecord(journal.runId, before, { bytes: line.bytes, value })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalid(journal, `record ${(before?.end.sequence ?? 0) + 1} is wrong: ${error.message}`, error)
  }
}

function takeRecord(
  runId: string,
  before: Progress | undefined,
  { bytes, value }: { bytes: Buffer; value: JsonValue },
): Step {
  const { event, end } = decodeRecord(bytes, value, before?.end ?? NO_RECORDS)
  const { run_id } = event.data
  if (run_id !== runId) throw journalRecordInvalid({ problem: `it is about the run ${run_id}` })
  return { run: applyEvent(before?.run, event), end, event }
}

/**
 * What a line says as JSON; undefined if it is torn: the beginning of an object never is JSON. Where a record ends and
 * something other than a line feed follows, the record may have been reported, and it was not a crash that put that there.
 */
function readLine({ bytes, isEnded, isOversize }: JournalLine): JsonValue | undefined {
  if (isOversize && isEnded) throw journalRecordInvalid({ problem: `it has more than ${RECORD_LIMIT_BYTES} bytes` })
  if (isOversize) return undefined
  try {
    return readJson(bytes, { input: 'the line', limitBytes: RECORD_LIMIT_BYTES })
  } catch (error) {
    const isJson = !(error instanceof Fault && error.code === jsonInvalid.code)
    if (isEnded || isJson || hasRecordEnd(bytes)) throw error
    return undefined
  }
}

function invalid({ runId, path }: OpenJournal, problem: string, cause?: unknown): Fault {
  return runJournalInvalid({ run_id: runId, path, problem }, cause)
}
