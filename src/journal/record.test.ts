import { describe, expect, it } from 'vitest'
import { boundHistory } from '../../test/support/journal-fixture.ts'
import type { RunEvent } from '../engine/state/run-event.shape.ts'
import { digestFields } from '../kit/digest.ts'
import { readJson } from '../kit/json/read-json.ts'
import { EVENT_LIMIT_BYTES, type JournalEnd, NO_RECORDS, RECORD_LIMIT_BYTES } from './hash-chain.ts'
import { decodeRecord, encodeRecord } from './record.ts'

const HISTORY = boundHistory()
const [started, submitted] = HISTORY.map(({ event }) => event) as [RunEvent, RunEvent]

const decode = (line: Buffer, end: JournalEnd) =>
  decodeRecord(line.subarray(0, -1), readJson(line, { input: 'the line', limitBytes: line.length }), end)

/** An event of which `data` takes this many bytes. */
function eventOf(bytes: number): RunEvent {
  const data = { run_id: 'run-1', updated_at: '2026-01-31T10:00:00Z', padding: '' }
  const padding = 'x'.repeat(bytes - JSON.stringify(data).length)
  return { type: 'run_stopped', data: { ...data, padding } } as unknown as RunEvent
}

describe('a record', () => {
  it('is read back unchanged', () => {
    const first = decode(encodeRecord(started, NO_RECORDS), NO_RECORDS)
    expect(first.event).toEqual(started)
    expect(first.end.sequence).toBe(1)
    const second = decode(encodeRecord(submitted, first.end), first.end)
    expect(second.event).toEqual(submitted)
    expect(second.end.sequence).toBe(2)
  })

  it('keeps integers past 2^53', () => {
    const line = encodeRecord(started, NO_RECORDS)
    const { initialize } = decode(line, NO_RECORDS).event.data
    expect(initialize?.initial_git).toEqual(started.data.initialize?.initial_git)
  })

  it('is one line with its fields in a fixed order, and the digest last', () => {
    const line = encodeRecord(started, NO_RECORDS).toString()
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(Object.keys(JSON.parse(line))).toEqual(['sequence', 'type', 'at', 'data', 'chain'])
    const body = line.slice(0, line.indexOf(',"chain":'))
    expect(JSON.parse(line).chain).toBe(digestFields(['drover-journal/v1', '', body]))
  })

  it.each<[string, JournalEnd, string]>([
    ['another sequence', { sequence: 1, chain: '' }, 'its sequence is 1, not 2'],
    ['another chain', { sequence: 0, chain: digestFields(['other']) }, 'its chain does not match'],
  ])('cannot follow a record with %s', (_what, end, problem) => {
    expect(() => decode(encodeRecord(started, NO_RECORDS), end)).toThrow(problem)
  })

  it('is refused with added white space', () => {
    const line = encodeRecord(started, NO_RECORDS)
    const spaced = Buffer.from(line.toString().replace('"}\n', '" }\n'))
    expect(() => decode(spaced, NO_RECORDS)).toThrow('its chain does not match')
  })

  it('is refused if at and updated_at differ', () => {
    const event = { ...started, data: { ...started.data, updated_at: '2026-01-31T12:00:00Z' } }
    const line = encodeRecord(event, NO_RECORDS).toString()
    const body = line
      .slice(0, line.indexOf(',"chain":'))
      .replace('"at":"2026-01-31T12:00:00Z"', '"at":"2026-01-31T12:00:01Z"')
    const forged = Buffer.from(`${body},"chain":"${digestFields(['drover-journal/v1', '', body])}"}\n`)
    expect(() => decode(forged, NO_RECORDS)).toThrow('its at and updated_at differ')
  })
})

describe('the size of a record', () => {
  it('may reach the limit', () => {
    const line = encodeRecord(eventOf(EVENT_LIMIT_BYTES), NO_RECORDS)
    expect(line.length).toBeGreaterThan(EVENT_LIMIT_BYTES)
    expect(line.length).toBeLessThanOrEqual(RECORD_LIMIT_BYTES)
  })

  it('may not exceed the limit by a byte', () => {
    const details = { context: 'event payload', size: EVENT_LIMIT_BYTES + 1, limit: 4_128_768 }
    expect(() => encodeRecord(eventOf(EVENT_LIMIT_BYTES + 1), NO_RECORDS)).toThrow(
      expect.objectContaining({ code: 'journal_record_too_large', details: { run_id: 'run-1', details } }),
    )
  })
})
