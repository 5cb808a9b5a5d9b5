import { describe, expect, it } from 'vitest'
import { decideDue } from './schedule.ts'

const BERLIN = 'Europe/Berlin'

/** The times at which a watcher that looks every half hour starts a run. */
function startsOf(pattern: string, { from, to, timezone }: { from: string; to: string; timezone: string }): string[] {
  const starts: string[] = []
  let since = new Date(from)
  for (let now = since; now <= new Date(to); now = new Date(now.getTime() + 30 * 60_000)) {
    if (decideDue({ pattern, timezone }, { since, now }).is !== 'due') continue
    starts.push(now.toISOString().slice(0, 16))
    since = now
  }
  return starts
}

describe('decideDue', () => {
  it.each([
    ['before the time', '2026-03-02T03:00:00Z', '2026-03-09T02:59:59Z', 'later', '2026-03-09T03:00:00.000Z'],
    ['at the time', '2026-03-02T03:00:00Z', '2026-03-09T03:00:00Z', 'due', '2026-03-09T03:00:00.000Z'],
    ['after a night without power', '2026-03-02T03:00:00Z', '2026-03-10T08:00:00Z', 'due', '2026-03-09T03:00:00.000Z'],
    ['after five missed weeks', '2026-03-02T03:00:00Z', '2026-04-08T08:00:00Z', 'due', '2026-03-09T03:00:00.000Z'],
    ['if the clock was set back', '2026-03-09T03:00:01Z', '2026-03-01T00:00:00Z', 'later', '2026-03-16T03:00:00.000Z'],
  ])('decides %s', (_name, since, now, is, at) => {
    const times = { since: new Date(since), now: new Date(now) }
    expect(decideDue({ pattern: '0 3 * * 1', timezone: 'UTC' }, times)).toEqual({ is, at: new Date(at) })
  })

  it('starts one run for all times that were missed', () => {
    const schedule = { pattern: '0 3 * * *', timezone: 'UTC' }
    const now = new Date('2026-03-10T08:00:00Z')
    expect(decideDue(schedule, { since: new Date('2026-03-01T04:00:00Z'), now }).is).toBe('due')
    expect(decideDue(schedule, { since: now, now })).toEqual({ is: 'later', at: new Date('2026-03-11T03:00:00Z') })
  })

  it.each([
    ['02:30 does not exist when summer begins', '30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', 2],
    ['02:30 exists twice when summer ends', '30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 2],
  ])('runs once on each of two days: %s', (_name, pattern, from, to, count) => {
    expect(startsOf(pattern, { from, to, timezone: BERLIN })).toHaveLength(count)
  })

  it('is never due without a next time', () => {
    const times = { since: new Date('2026-01-01T00:00:00Z'), now: new Date('2026-12-01T00:00:00Z') }
    expect(decideDue({ pattern: '0 3 30 2 *' }, times)).toEqual({ is: 'later', at: undefined })
  })

  it.each(['', 'daily', '0 3 * *', '61 3 * * 1', '0 0 3 * * 1', '0 3 * * 1; rm'])('refuses %j', (pattern) => {
    const times = { since: new Date(0), now: new Date(0) }
    expect(() => decideDue({ pattern }, times)).toThrow(
      /^the schedule .* is not valid: (?!CronPattern).*[^.]; use five fields/,
    )
  })

  it('refuses a time zone that does not exist', () => {
    const times = { since: new Date(0), now: new Date(0) }
    expect(() => decideDue({ pattern: '0 3 * * 1', timezone: 'Mars/Olympus' }, times)).toThrow(/Mars/)
  })
})
