/** The records of a journal: the events of a run. `at` is the `updated_at` of the event. See hash-chain.ts for the format. */
import { checkRunEvent } from '../engine/check-event.ts'
import type { RunEvent } from '../engine/state/run-event.shape.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { journalRecordInvalid } from './faults.ts'
import { decodeLine, encodeLine, type JournalEnd } from './hash-chain.ts'

/** Encodes an event as the line that follows `end`. */
export function encodeRecord({ type, data }: RunEvent, end: JournalEnd): Buffer {
  return encodeLine({ type, at: data.updated_at, data }, data.run_id, end)
}

export type Decoded = { readonly event: RunEvent; readonly end: JournalEnd }

/** Decodes a line that was parsed as `value`. Throws a fault if it cannot follow `end`. */
export function decodeRecord(line: Buffer, value: JsonValue, end: JournalEnd): Decoded {
  const { type, at, data, end: next } = decodeLine(line, value, end)
  const event = checkRunEvent({ type, data })
  if (event.data.updated_at !== at) throw journalRecordInvalid({ problem: 'its at and updated_at differ' })
  return { event, end: next }
}
