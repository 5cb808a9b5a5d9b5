import { toTimestamp } from '../../kit/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/** A hundred years: no session is older. */
export const MAX_AGE_DAYS = 36_500

/** Parses `90m`, `12h`, `30d` or `2w` into milliseconds; undefined for other texts and for ages over `MAX_AGE_DAYS`. */
export function parseAge(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const age = Number(count) * (UNITS[unit] ?? 0)
  return age <= MAX_AGE_DAYS * DAY ? age : undefined
}

/** Parses an age, a date (midnight in the local time zone) or an RFC 3339 timestamp into an RFC 3339 timestamp in UTC. */
export function parseTime(text: string, now: Date): string | undefined {
  const age = parseAge(text)
  if (age !== undefined) return toTimestamp(new Date(now.getTime() - age))
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const isTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text)
  if (!isDate && !isTimestamp) return undefined
  const time = Date.parse(isDate ? `${text}T00:00:00` : text)
  // JavaScript reads February 31 as March 3.
  const isValid = isDate ? Number(text.slice(8)) === new Date(time).getDate() : !Number.isNaN(time)
  return isValid ? toTimestamp(new Date(time)) : undefined
}
