import { applyEvent } from '../engine/apply-event.ts'
import type { Run } from '../engine/state/run.ts'
import type { RunEvent } from '../engine/state/run-event.shape.ts'
import type { Fault } from '../kit/fault.ts'
import type { Disk } from '../kit/files/disk.ts'
import { readJson } from '../kit/json/read-json.ts'
import { journalRecordInvalid, runJournalInvalid } from './faults.ts'
import { type JournalEnd, NO_RECORDS, RECORD_LIMIT_BYTES } from './hash-chain.ts'
import type { OpenJournal } from './open-journal.ts'
import { type ParsedLine, readFirst, readRecords, type Tail } from './read-records.ts'
import { decodeRecord } from './record.ts'

export type Replayed = { readonly run: Run; readonly end: JournalEnd; readonly tail: Tail }

type Progress = Pick<Replayed, 'run' | 'end'>
type Step = Progress & { readonly event: RunEvent }

/**
 * Reads a journal and applies its events. Throws `run_journal_invalid` for any problem except a torn tail. `onEvent` is
 * called after each event is applied.
 */
export function replayJournal(journal: OpenJournal, disk: Disk, onEvent?: (event: RunEvent) => void): Replayed {
  const { last, tail } = readRecords<Step>(journal, disk, (before, line) => {
    const next = applyRecord(journal.runId, before, line)
    onEvent?.(next.event)
    return next
  })
  if (last === undefined) throw empty(journal)
  const { run, end } = last
  return { run, end, tail }
}

/** The run after its first record. Only that record is read. */
export function readFirstRecord(journal: OpenJournal, disk: Disk): Run {
  const first = readFirst<Step>(journal, disk, (before, line) => applyRecord(journal.runId, before, line))
  if (first === undefined) throw empty(journal)
  return first.run
}

/** The run after a record that is about to be written. This ensures that the record can be read again. */
export function readBack({ record, runId, before }: { record: Buffer; runId: string; before?: Progress }): Progress {
  const value = readJson(record, { input: 'the record', limitBytes: RECORD_LIMIT_BYTES })
  return applyRecord(runId, before, { bytes: record.subarray(0, -1), value })
}

function applyRecord(runId: string, before: Progress | undefined, { bytes, value }: ParsedLine): Step {
  const { event, end } = decodeRecord(bytes, value, before?.end ?? NO_RECORDS)
  const { run_id } = event.data
  if (run_id !== runId) throw journalRecordInvalid({ problem: `it belongs to the run ${run_id}` })
  return { run: applyEvent(before?.run, event), end, event }
}

function empty({ runId, path }: OpenJournal): Fault {
  return runJournalInvalid({ run_id: runId, path, problem: 'it has no complete record' })
}
