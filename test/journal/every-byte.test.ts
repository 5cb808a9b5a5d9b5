/**
 * Damages a small journal at every byte. The reader returns the recorded run, or what a crash during the last write would
 * leave, and refuses everything else. No damage results in another run.
 */
import { describe, expect, it } from 'vitest'
import { type JournalEnd, NO_RECORDS } from '../../src/journal/hash-chain.ts'
import { encodeRecord } from '../../src/journal/record.ts'
import { readBack, replayJournal } from '../../src/journal/replay-journal.ts'
import { Fault } from '../../src/kit/fault.ts'
import { type Disk, realDisk } from '../../src/kit/files/disk.ts'
import { plainHistory, RUN_ID } from '../support/journal-fixture.ts'

const HISTORY = plainHistory(2)
const RECORDS = recordsOf()
const WHOLE = Buffer.concat(RECORDS)
/** The offset after the line feed of each record. */
const ENDS = RECORDS.map((_, at) => Buffer.concat(RECORDS.slice(0, at + 1)).length)
const PLACES = Array.from(WHOLE.keys())
/** Offsets at line starts and ends, and between them. */
const EDGES = [0, ...ENDS.flatMap((end) => [end - 1, end])]
const SOME_PLACES = [...new Set([...EDGES, ...PLACES.filter((at) => at % 7 === 0)])].toSorted((a, b) => a - b)
const OTHER_BYTES = Array.from({ length: 255 }, (_, less) => less + 1)
const REFUSED = 'run_journal_invalid'
/** Used in turn, one per offset. */
const FLIPS = [0x01, 0x20, 0x80]
const INTRUDERS = ['\0', ' ', '\r', '"', '}', '\ufeff']

function recordsOf(): Buffer[] {
  let end: JournalEnd = NO_RECORDS
  let before: ReturnType<typeof readBack> | undefined
  return HISTORY.map(({ event }) => {
    const record = encodeRecord(event, end)
    before = readBack({ record, runId: RUN_ID, ...(before && { before }) })
    end = before.end
    return record
  })
}

/** A disk whose every file has these bytes. */
function diskOf(bytes: Buffer): Disk {
  let position = 0
  const readSync: Disk['readSync'] = (_descriptor, into, offset, length) => {
    const count = bytes.copy(into, offset, position, position + length)
    position += count
    return count
  }
  return { ...realDisk, readSync }
}

/** The number of records in a journal of these bytes and its tail, or the code of the fault. */
function reading(bytes: Buffer): string {
  const journal = { runId: RUN_ID, path: 'journal.jsonl', descriptor: 0, identity: { dev: 0n, ino: 0n } }
  try {
    const { run, end, tail } = replayJournal(journal, diskOf(bytes))
    expect(run).toEqual(HISTORY[end.sequence - 1]?.run)
    return `${end.sequence} ${tail.is}`
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T
const flipped = (at: number, bits: number) => Buffer.from(WHOLE.with(at, (WHOLE[at] ?? 0) ^ bits))
const inserted = (at: number, text: string) =>
  Buffer.concat([WHOLE.subarray(0, at), Buffer.from(text), WHOLE.subarray(at)])
const removed = (at: number) => Buffer.concat([WHOLE.subarray(0, at), WHOLE.subarray(at + 1)])

/** The expected result for a journal that is cut to this length. */
function expectedOf(length: number): string {
  const whole = ENDS.filter((end) => end <= length).length
  if (ENDS.includes(length + 1)) return `${whole + 1} unterminated`
  if (whole === 0) return REFUSED
  return ENDS.includes(length) ? `${whole} complete` : `${whole} torn`
}

describe('a journal', () => {
  it('is read back unchanged', () => {
    expect(reading(WHOLE)).toBe('2 complete')
  })

  it('with a flipped bit in any byte is refused', () => {
    expect(PLACES.filter((at) => reading(flipped(at, pick(FLIPS, at))) !== REFUSED)).toEqual([])
  })

  it('with another last byte is refused, because the record before it may have been reported', () => {
    expect(OTHER_BYTES.filter((bits) => reading(flipped(WHOLE.length - 1, bits)) !== REFUSED)).toEqual([])
  })

  it('that is cut anywhere keeps every complete record', () => {
    const lengths = [...PLACES, WHOLE.length]
    expect(lengths.filter((length) => reading(WHOLE.subarray(0, length)) !== expectedOf(length))).toEqual([])
  })

  it('without any byte but the last is refused', () => {
    const read = SOME_PLACES.filter((at) => at < WHOLE.length && reading(removed(at)) !== REFUSED)
    expect(read).toEqual([WHOLE.length - 1])
  })

  it.each(INTRUDERS)('with %j inserted is refused, unless at its end', (text) => {
    expect(EDGES.filter((at) => reading(inserted(at, text)) !== REFUSED)).toEqual([WHOLE.length])
    expect(reading(inserted(WHOLE.length, text))).toBe('2 torn')
  })

  it('with an inserted byte is refused', () => {
    const inside = SOME_PLACES.filter((at) => !EDGES.includes(at))
    expect(inside.filter((at) => reading(inserted(at, pick(INTRUDERS, at))) !== REFUSED)).toEqual([])
  })

  it('with an inserted line feed is accepted at a line end, and refused elsewhere', () => {
    expect(SOME_PLACES.filter((at) => reading(inserted(at, '\n')) !== REFUSED)).toEqual(EDGES)
  })

  it.each<[string, Buffer, string]>([
    ['zeros in place of its last line feed', Buffer.concat([WHOLE.subarray(0, -1), Buffer.alloc(4096)]), REFUSED],
    [
      'a record behind the last without a line feed between',
      Buffer.concat([removed(WHOLE.length - 1), WHOLE]),
      REFUSED,
    ],
    ['all its records twice', Buffer.concat([WHOLE, WHOLE]), REFUSED],
    ['a line nested too deep', inserted(WHOLE.length, `${'['.repeat(5_000)}\n`), REFUSED],
    ['a tail nested too deep', inserted(WHOLE.length, '['.repeat(5_000)), '2 torn'],
  ])('with %s is refused, unless it is a torn tail', (_what, bytes, expected) => {
    expect(reading(bytes)).toBe(expected)
  })
})
