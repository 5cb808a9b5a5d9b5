/** The source of the current time. Pure code gets the time as an argument; only the callers around it read a clock. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** The last result: many events share a millisecond, and formatting a date is slow in comparison. */
let last = { ms: Number.NaN, text: '' }

/** RFC 3339 in UTC with milliseconds: the only format in which drover writes times. */
export function toTimestamp(moment: Date): string {
  const ms = moment.getTime()
  if (ms !== last.ms) last = { ms, text: moment.toISOString() }
  return last.text
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The time this many days ago. */
export function daysAgo(days: number, clock: Clock): string {
  return toTimestamp(new Date(clock.now().getTime() - days * DAY_MS))
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|[+-](\d{2}):(\d{2}))$/i

/**
 * Whether a text is an RFC 3339 date-time of a day that exists. Leap seconds are refused: many validators refuse them, and no
 * clock of a provider shows them. Generated validators call this.
 */
export function isTimestamp(text: string): boolean {
  const match = RFC_3339.exec(text)
  if (match === null) return false
  const part = (index: number) => Number(match[index] ?? 0)
  const [day, lastDay] = [part(3), daysIn({ year: part(1), month: part(2) })]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const [offsetHour, offsetMinute] = [part(7), part(8)]
  return (
    day >= 1 && day <= lastDay && hour <= 23 && minute <= 59 && second <= 59 && offsetHour <= 23 && offsetMinute <= 59
  )
}

/** Whether a text is a date such as 2026-01-31 of a day that exists. Generated validators call this too. */
export function isDate(text: string): boolean {
  return isTimestamp(`${text}T00:00:00Z`)
}

function daysIn({ year, month }: { year: number; month: number }): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}
