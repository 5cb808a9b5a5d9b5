import { isDate, toTimestamp } from '../../kit/clock.ts'

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

/** Words for a day, as the number of days before today. */
const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 }

/** Parses an age, `today`, `yesterday` or a date into a date in UTC. */
export function parseDay(text: string, now: Date): string | undefined {
  const age = Object.hasOwn(DAYS_AGO, text) ? (DAYS_AGO[text] ?? 0) * DAY : parseAge(text)
  if (age !== undefined) return new Date(now.getTime() - age).toISOString().slice(0, 10)
  return isDate(text) ? text : undefined
}

/** Parses an age, a day (its midnight in the local time zone) or an RFC 3339 timestamp into an RFC 3339 timestamp in UTC. */
export function parseTime(text: string, now: Date): string | undefined {
  const age = parseAge(text)
  if (age !== undefined) return toTimestamp(new Date(now.getTime() - age))
  if (Object.hasOwn(DAYS_AGO, text)) {
    return toTimestamp(new Date(now.getFullYear(), now.getMonth(), now.getDate() - (DAYS_AGO[text] ?? 0)))
  }
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text)
  if (!isDay && !isTimestamp) return undefined
  const time = Date.parse(isDay ? `${text}T00:00:00` : text)
  // JavaScript reads February 31 as March 3.
  const isValid = isDay ? Number(text.slice(8)) === new Date(time).getDate() : !Number.isNaN(time)
  return isValid ? toTimestamp(new Date(time)) : undefined
}
