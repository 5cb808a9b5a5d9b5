/**
 * A journal is a file of lines, each a record of one thing that happened to the run:
 *
 *     {"sequence":2,"type":"outcome_submitted","at":"2026-01-31T10:00:02.000Z","data":{…},"chain":"sha256:…"}
 *
 * - `sequence` counts from 1 without gaps.
 * - `type` and `data` are the event, as src/engine/state/event.shape.ts has it; `at` is its `updated_at`.
 * - `chain` is the digest of three fields: `drover-journal/v1`, the chain of the record before (empty for the first), and
 *   the bytes of this line up to the comma in front of `"chain"`. So each record vouches for itself and for all before it.
 *
 * A line has at most 4 MiB with its line feed. It is strict JSON: no key twice, and integers past 2^53 stay as they are.
 */

import { checkRunEvent } from '../engine/event.ts'
import type { RunEvent } from '../engine/state/event.shape.ts'
import { type Digest, digestFields } from '../kit/digest.ts'
import type { JsonValue } from '../kit/json/json-value.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { checker } from '../kit/schema.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { validateJournalRecord } from './checks.generated.js'
import { journalRecordInvalid, journalRecordTooLarge } from './faults.ts'
import type { JournalRecord } from './record.shape.ts'

/** A record as a line, with its line feed. */
export const RECORD_LIMIT_BYTES = 4 * 1024 * 1024
/** `data` as JSON: leaves room for the rest of a record, so that whatever is written can be read. */
export const EVENT_LIMIT_BYTES = RECORD_LIMIT_BYTES - 64 * 1024

/** Where a journal ends: how many records there are, and the chain of the last. */
export type JournalEnd = { readonly sequence: number; readonly chain: Digest | '' }

export const NO_RECORDS: JournalEnd = { sequence: 0, chain: '' }

const checkRecord = checker<JournalRecord>('journalRecord', validateJournalRecord)

const CHAIN_START = ',"chain":"'
const CHAIN_END = '"}'
const CHAIN_BYTES = CHAIN_START.length + 'sha256:'.length + 64 + CHAIN_END.length
/** Nothing inside a record looks like this: in a text the quotes are escaped. */
const RECORD_END = new RegExp(`${CHAIN_START}sha256:[0-9a-f]{64}${CHAIN_END}`)

/** The line that records an event behind `end`. */
export function encodeRecord(event: RunEvent, end: JournalEnd): Buffer {
  const { type, data } = event
  const payload = writeJson(data as unknown as JsonValue)
  const size = Buffer.byteLength(payload)
  if (size > EVENT_LIMIT_BYTES) {
    const details = { context: 'event payload', size, limit: EVENT_LIMIT_BYTES }
    throw journalRecordTooLarge({ run_id: data.run_id, details })
  }
  const head = writeJson({ sequence: end.sequence + 1, type, at: data.updated_at })
  const body = encodeUtf8(`${head.slice(0, -1)},"data":${payload}`)
  return Buffer.concat([body, recordEnding({ ...end, chain: chainOf(body, end) })])
}

export type Decoded = { readonly event: RunEvent; readonly end: JournalEnd }

/** What a line, which was read as `value`, records behind `end`. Throws a fault if it cannot stand there. */
export function decodeRecord(line: Buffer, value: JsonValue, end: JournalEnd): Decoded {
  const { sequence, type, at, data, chain } = checkRecord(value)
  if (sequence !== end.sequence + 1) throw journalRecordInvalid({ problem: `its number is ${sequence}` })
  // What is behind the body can only be the chain as it was written: there is no shorter way to write it.
  const expected = chainOf(line.subarray(0, -CHAIN_BYTES), end)
  if (chain !== expected) {
    throw journalRecordInvalid({
      problem: 'its bytes, or those of a record before it, are not the ones that were written',
    })
  }
  const event = checkRunEvent({ type, data })
  if (event.data.updated_at !== at) throw journalRecordInvalid({ problem: 'it gives two times' })
  return { event, end: { sequence, chain: expected } }
}

/** What a journal of which this is the end has as its last bytes. */
export function recordEnding({ chain }: JournalEnd): Buffer {
  return encodeUtf8(`${CHAIN_START}${chain}${CHAIN_END}\n`)
}

/** Whether a record ends somewhere in these bytes. The beginning of a record has no such place. */
export function hasRecordEnd(bytes: Buffer): boolean {
  return RECORD_END.test(bytes.toString('latin1'))
}

function chainOf(body: Buffer, { chain }: JournalEnd): Digest {
  return digestFields(['drover-journal/v1', chain, body])
}
