/**
 * A small journal that is damaged at every byte. What is read is the run as it was recorded, or what a crash while the last
 * record was written would leave; everything else is refused. No damage makes another run of it.
 */
import { describe, expect, it } from 'vitest'
import { encodeRecord, type JournalEnd, NO_RECORDS } from '../../src/journal/record.ts'
import { readBack, replayJournal } from '../../src/journal/replay-journal.ts'
import { Fault } from '../../src/kit/fault.ts'
import { type Disk, realDisk } from '../../src/kit/files/disk.ts'
import { plainHistory, RUN_ID } from '../support/journal-room.ts'

const HISTORY = plainHistory(2)
const RECORDS = recordsOf()
const WHOLE = Buffer.concat(RECORDS)
/** Where each record ends, behind its line feed. */
const ENDS = RECORDS.map((_, at) => Buffer.concat(RECORDS.slice(0, at + 1)).length)
const PLACES = Array.from(WHOLE.keys())
/** Where lines begin and end, and places between. */
const EDGES = [0, ...ENDS.flatMap((end) => [end - 1, end])]
const SOME_PLACES = [...new Set([...EDGES, ...PLACES.filter((at) => at % 7 === 0)])].toSorted((a, b) => a - b)
const OTHER_BYTES = Array.from({ length: 255 }, (_, less) => less + 1)
const REFUSED = 'run_journal_invalid'
/** One after the other, so that each place gets one of them. */
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

/** Gives these bytes, whatever is read. */
function diskOf(bytes: Buffer): Disk {
  let position = 0
  const readSync: Disk['readSync'] = (_descriptor, into, offset, length) => {
    const count = bytes.copy(into, offset, position, position + length)
    position += count
    return count
  }
  return { ...realDisk, readSync }
}

/** How many records a journal of these bytes has, and how it ends; or the code by which it is refused. */
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

/** What is left of a journal of which only so many bytes are. */
function expectedOf(length: number): string {
  const whole = ENDS.filter((end) => end <= length).length
  if (ENDS.includes(length + 1)) return `${whole + 1} unended`
  if (whole === 0) return REFUSED
  return ENDS.includes(length) ? `${whole} ended` : `${whole} torn`
}

describe('a journal', () => {
  it('is read as it was written', () => {
    expect(reading(WHOLE)).toBe('2 ended')
  })

  it('in which a bit of any byte is another is refused', () => {
    expect(PLACES.filter((at) => reading(flipped(at, pick(FLIPS, at))) !== REFUSED)).toEqual([])
  })

  it('whose last byte is any other is refused: the record in front of it may have been reported', () => {
    expect(OTHER_BYTES.filter((bits) => reading(flipped(WHOLE.length - 1, bits)) !== REFUSED)).toEqual([])
  })

  it('that is cut anywhere has every record that is whole', () => {
    const lengths = [...PLACES, WHOLE.length]
    expect(lengths.filter((length) => reading(WHOLE.subarray(0, length)) !== expectedOf(length))).toEqual([])
  })

  it('that lacks a byte other than its last is refused', () => {
    const read = SOME_PLACES.filter((at) => at < WHOLE.length && reading(removed(at)) !== REFUSED)
    expect(read).toEqual([WHOLE.length - 1])
  })

  it.each(INTRUDERS)('with %j more is refused, unless that is behind its end', (text) => {
    expect(EDGES.filter((at) => reading(inserted(at, text)) !== REFUSED)).toEqual([WHOLE.length])
    expect(reading(inserted(WHOLE.length, text))).toBe('2 torn')
  })

  it('with a byte more between is refused', () => {
    const inside = SOME_PLACES.filter((at) => !EDGES.includes(at))
    expect(inside.filter((at) => reading(inserted(at, pick(INTRUDERS, at))) !== REFUSED)).toEqual([])
  })

  it('with a line feed more is the same where a line ends or begins, and is refused elsewhere', () => {
    expect(SOME_PLACES.filter((at) => reading(inserted(at, '\n')) !== REFUSED)).toEqual(EDGES)
  })

  it.each<[string, Buffer, string]>([
    ['zeros in place of its last line feed', Buffer.concat([WHOLE.subarray(0, -1), Buffer.alloc(4096)]), REFUSED],
    [
      'a record behind the last without a line feed between',
      Buffer.concat([removed(WHOLE.length - 1), WHOLE]),
      REFUSED,
    ],
    ['itself once more', Buffer.concat([WHOLE, WHOLE]), REFUSED],
    ['a line nested too deep', inserted(WHOLE.length, `${'['.repeat(5_000)}\n`), REFUSED],
    ['a tail nested too deep', inserted(WHOLE.length, '['.repeat(5_000)), '2 torn'],
  ])('with %s is refused, unless that was never a record', (_what, bytes, expected) => {
    expect(reading(bytes)).toBe(expected)
  })
})
