/**
 * The format of a file of records, of which every line is one record:
 *
 *     {"sequence":2,"type":"outcome_submitted","at":"2026-01-31T10:00:02.000Z","data":{…},"chain":"sha256:…"}
 *
 * - `sequence` counts from 1 without gaps.
 * - `type` and `data` are the event, `at` is its time.
 * - `chain` is the digest of three fields: `drover-journal/v1`, the chain of the record before (empty for the first), and
 *   the bytes of this line up to the comma in front of `"chain"`. So each chain covers its record and all before it.
 *
 * A line has at most 4 MiB with its line feed. It is strict JSON: no duplicate keys, and integers past 2^53 stay exact.
 */

import { type Digest, digestFields } from '../kit/digest.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { checker } from '../kit/schema.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { validateJournalRecord } from './checks.generated.js'
import { journalRecordInvalid, journalRecordTooLarge } from './faults.ts'
import type { JournalRecord } from './record.shape.ts'

/** The limit of a record with its line feed. */
export const RECORD_LIMIT_BYTES = 4 * 1024 * 1024
/** The limit of `data` as JSON. It leaves room for the rest of the record, so every written record can be read. */
export const EVENT_LIMIT_BYTES = RECORD_LIMIT_BYTES - 64 * 1024

/** The sequence number and the chain of the last record. */
export type JournalEnd = { readonly sequence: number; readonly chain: Digest | '' }

export const NO_RECORDS: JournalEnd = { sequence: 0, chain: '' }

const checkRecord = checker<JournalRecord>('journalRecord', validateJournalRecord)

const CHAIN_START = ',"chain":"'
const CHAIN_END = '"}'
const CHAIN_BYTES = CHAIN_START.length + 'sha256:'.length + 64 + CHAIN_END.length
/** Cannot occur inside a record, because quotes in a string are escaped. */
const RECORD_END = new RegExp(`${CHAIN_START}sha256:[0-9a-f]{64}${CHAIN_END}`)

/** An event as a record has it. */
export type RecordedEvent = Pick<JournalRecord, 'type' | 'at'> & { readonly data: object }

/** Encodes an event of a run as the line that follows `end`. */
export function encodeLine({ type, at, data }: RecordedEvent, runId: string, end: JournalEnd): Buffer {
  const payload = writeJson(data as unknown as JsonValue)
  const size = Buffer.byteLength(payload)
  if (size > EVENT_LIMIT_BYTES) {
    const details = { context: 'event payload', size, limit: EVENT_LIMIT_BYTES }
    throw journalRecordTooLarge({ run_id: runId, details })
  }
  const head = writeJson({ sequence: end.sequence + 1, type, at })
  const body = encodeUtf8(`${head.slice(0, -1)},"data":${payload}`)
  return Buffer.concat([body, recordEnding({ ...end, chain: chainOf(body, end) })])
}

/** Decodes a line that was parsed as `value`. Throws a fault if it cannot follow `end`. */
export function decodeLine(line: Buffer, value: JsonValue, end: JournalEnd): RecordedEvent & { end: JournalEnd } {
  const { sequence, type, at, data, chain } = checkRecord(value)
  if (sequence !== end.sequence + 1)
    throw journalRecordInvalid({ problem: `its sequence is ${sequence}, not ${end.sequence + 1}` })
  // The chain has a fixed length, so the body is everything before it.
  const expected = chainOf(line.subarray(0, -CHAIN_BYTES), end)
  if (chain !== expected) {
    throw journalRecordInvalid({
      problem: 'its chain does not match: this record or an earlier one was changed',
    })
  }
  return { type, at, data, end: { sequence, chain: expected } }
}

/** The last bytes of a file of records with this end. */
export function recordEnding({ chain }: JournalEnd): Buffer {
  return encodeUtf8(`${CHAIN_START}${chain}${CHAIN_END}\n`)
}

/** Whether these bytes contain the end of a record. The torn start of a record never does. */
export function hasRecordEnd(bytes: Buffer): boolean {
  return RECORD_END.test(bytes.toString('latin1'))
}

function chainOf(body: Buffer, { chain }: JournalEnd): Digest {
  return digestFields(['drover-journal/v1', chain, body])
}
