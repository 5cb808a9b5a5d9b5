import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { believable, LONGEST_WAIT_MS, waitIn, waitUntil } from './reset-time.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** 12:00 in UTC, 13:00 in Berlin, 07:00 in New York. */
const NOW = new Date('2026-11-17T12:00:00Z')

function wait(message: string, { now = NOW, zone = 'UTC' } = {}): number | undefined {
  return waitIn(message, { now, zone })
}

describe('a duration', () => {
  it.each([
    ['try again in 3 hours 12 minutes', 3 * HOUR + 12 * MINUTE],
    ['Please try again in 1 hour, 2 minutes and 3 seconds.', HOUR + 2 * MINUTE + 3000],
    ['retry in 12h30m5s', 12 * HOUR + 30 * MINUTE + 5000],
    ['Your quota will reset after 15h24m10s.', 15 * HOUR + 24 * MINUTE + 10_000],
    ['resets in 2d 3h', 2 * DAY + 3 * HOUR],
    ['Retry in 3hr 12min', 3 * HOUR + 12 * MINUTE],
    ['Please retry in 36.5s', 36_500],
    ['try again in 20ms', 20],
    ['wait for another 5 minutes', 5 * MINUTE],
    ['Try again in ~191 min.', 191 * MINUTE],
    ['{"retryDelay":"34.07s"}', 34_070],
    ['{"retryDelay": "34s"}', 34_000],
    ['"resets_in_seconds": 11520', 11_520_000],
    ['retry-after: 30', 30_000],
    ['try again in 0s', 0],
    ['try again in 8 days', LONGEST_WAIT_MS],
    ['try again in 192 hours and 1 ms', undefined],
    ['try again in 2 months', undefined],
    ['try again in 5', undefined],
    ['the 5 minutes are over', undefined],
  ])('in %j', (message, expected) => expect(wait(message)).toBe(expected))
})

describe('a time of day', () => {
  it.each([
    ['resets 3pm (UTC)', 3 * HOUR],
    ['resets 3pm (Europe/Berlin)', 2 * HOUR],
    ['resets 3pm (America/New_York)', 8 * HOUR],
    ['resets 3pm (America/Argentina/Buenos_Aires)', 6 * HOUR],
    ['resets 3:45pm (Etc/GMT)', 3 * HOUR + 45 * MINUTE],
    ['Try again at 3:45 PM.', 3 * HOUR + 45 * MINUTE],
    ['Try again at 3:45\u202fPM.', 3 * HOUR + 45 * MINUTE],
    ['or try again at 3:45 PM or later', 3 * HOUR + 45 * MINUTE],
    ['try again at 15:45', 3 * HOUR + 45 * MINUTE],
    ['resets 12am', 12 * HOUR],
    ['resets 12pm', 0],
    ['resets 11:51am', undefined],
    ['resets 11:50am', DAY - 10 * MINUTE],
    ['resets 1am', 13 * HOUR],
    ['resets 3pm (Nowhere/At_All)', undefined],
    ['try again at 3:45 PM XYZ', undefined],
    ['resets 13pm', undefined],
    ['resets 0am', undefined],
    ['try again at 24:00', undefined],
    ['try again at 3:60 PM', undefined],
    ['try again at 3', undefined],
    ['it was 3pm', undefined],
  ])('in %j', (message, expected) => expect(wait(message)).toBe(expected))

  it('without a zone is in the local one', () => {
    expect(wait('resets 3pm', { zone: 'Europe/Berlin' })).toBe(2 * HOUR)
    expect(waitIn('try again in 5s', { now: NOW })).toBe(5000)
    expect(waitIn('resets 3pm', { now: NOW })).toBeTypeOf('number')
  })

  it('of the next day may be in another month', () => {
    expect(wait('resets 1am', { now: new Date('2026-12-31T23:00:00Z') })).toBe(2 * HOUR)
  })

  it('is right on the day on which the clocks change', () => {
    expect(wait('resets 3am (Europe/Berlin)', { now: new Date('2026-10-24T23:30:00Z') })).toBe(2.5 * HOUR)
    expect(wait('resets 3am (Europe/Berlin)', { now: new Date('2026-03-29T00:30:00Z') })).toBe(0.5 * HOUR)
  })
})

describe('a date', () => {
  it.each([
    ['resets Nov 20, 3:45 PM', 3 * DAY + 3 * HOUR + 45 * MINUTE],
    ['resets Nov 20, 3:45pm (Europe/Berlin)', 3 * DAY + 2 * HOUR + 45 * MINUTE],
    ['resets Nov 20 at 3pm', 3 * DAY + 3 * HOUR],
    ['resets November 20, 2026, 3pm (UTC)', 3 * DAY + 3 * HOUR],
    ['try again at Nov 20th, 2026 3:45 PM.', 3 * DAY + 3 * HOUR + 45 * MINUTE],
    ['resets Nov 25, 12pm', LONGEST_WAIT_MS],
    ['resets Nov 25, 12:01pm', undefined],
    ['resets Nov 17, 11:59am', undefined],
    ['resets Nov 20, 2025, 3pm', undefined],
    ['resets Nov 31, 3pm', undefined],
    ['You will regain access on 2026-11-18 at 00:00 UTC.', 12 * HOUR],
    ['Your limit will reset at 2026-11-17 13:30:15', 1.5 * HOUR + 15_000],
    ['try again after 2026-11-17T14:00:00.123Z', 2 * HOUR],
    ['try again after 2026-11-17T14:00:00+01:00', HOUR],
    ['try again after 2026-02-30T14:00:00Z', undefined],
    ['usage limit reached|1794930900', 4 * HOUR - 5 * MINUTE],
    ['{"resets_at":1794930900}', 4 * HOUR - 5 * MINUTE],
    ['usage limit reached|1763420400', undefined],
  ])('in %j', (message, expected) => expect(wait(message)).toBe(expected))

  it('without a year may be in the next one', () => {
    expect(wait('resets Jan 2, 12pm', { now: new Date('2026-12-30T12:00:00Z') })).toBe(3 * DAY)
  })
})

describe('a time that is reported as a number', () => {
  it.each([
    [NOW.getTime(), 0],
    [NOW.getTime() - 1, undefined],
    [NOW.getTime() + LONGEST_WAIT_MS, LONGEST_WAIT_MS],
    [NOW.getTime() + LONGEST_WAIT_MS + 1, undefined],
    [Number.NaN, undefined],
  ])('%i ms', (ms, expected) => expect(waitUntil(ms / 1000, { now: NOW })).toBe(expected))

  it.each([-1, Number.POSITIVE_INFINITY, Number.NaN, undefined])('is not believed if it is %s', (ms) => {
    expect(believable(ms)).toBeUndefined()
  })
})

describe('any text', () => {
  const word = fc.constantFrom(
    ...[
      'resets ',
      'try again ',
      'at ',
      'in ',
      'Nov ',
      '31',
      '3:45',
      ' PM',
      ' (',
      'Europe/Berlin',
      ')',
      '99',
      'h',
      'm',
      '.',
      ', ',
      '2026',
      '-02-',
      'T',
      'Z',
      '|',
      '\n',
    ],
  )
  const moment = fc.record({
    now: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'),
  })

  it('never makes the reader throw, and gives a wait within the limits or none', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(word, fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, moment, (message, when) => {
        const found = waitIn(message, when)
        expect(found === undefined || (found >= 0 && found <= LONGEST_WAIT_MS)).toBe(true)
      }),
    )
  })

  it('that names a duration gives that duration', () => {
    const units = { d: DAY, h: HOUR, m: MINUTE, s: 1000 }
    const count = fc.nat({ max: 6 })
    fc.assert(
      fc.property(fc.tuple(count, count, count, count), fc.constantFrom('', ' ', ', '), (counts, gap) => {
        const parts = Object.entries(units).map(([unit, ms], at) => ({
          text: `${counts[at]}${unit}`,
          ms: (counts[at] ?? 0) * ms,
        }))
        const message = `Please try again in ${parts.map(({ text }) => text).join(gap)}.`
        expect(wait(message)).toBe(parts.reduce((sum, { ms }) => sum + ms, 0))
      }),
    )
  })

  it('that names a time gives that time, to the minute', () => {
    const ahead = fc.integer({ min: MINUTE, max: LONGEST_WAIT_MS })
    fc.assert(
      fc.property(moment, ahead, fc.boolean(), ({ now, zone }, ms, hasDate) => {
        const then = new Date(now.getTime() + (hasDate ? ms : ms % (DAY - HOUR)) + MINUTE)
        const date = { month: 'short', day: 'numeric', year: 'numeric' } as const
        const time = { hour: 'numeric', minute: '2-digit' } as const
        const shown = then.toLocaleString('en-US', { timeZone: zone, ...(hasDate && date), ...time })
        const found = waitIn(`limit · resets ${shown} (${zone})`, { now, zone: 'UTC' })
        const late = then.getTime() - now.getTime() - (found ?? Number.NaN)
        // An hour that a clock shows twice has two meanings.
        expect(
          [0, HOUR].some((twice) => Math.abs(late) >= twice && Math.abs(late) < twice + MINUTE) || found === undefined,
        ).toBe(true)
        if (then.getTime() - now.getTime() <= LONGEST_WAIT_MS - HOUR) expect(found).toBeDefined()
      }),
    )
  })
})
