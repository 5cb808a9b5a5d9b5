/** Moments as people write and read them: `7d`, `2026-01-31`, `3h ago`. Pure. */
import { toTimestamp } from '../../kit/clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A hundred years: nothing is older. */
export const MAX_AGE_DAYS = 36_500

const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/** `90m`, `12h`, `30d`, `2w` in milliseconds; undefined for anything else, and for what is older than `MAX_AGE_DAYS`. */
export function parseAge(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const age = Number(count) * (UNITS[unit] ?? 0)
  return age <= MAX_AGE_DAYS * DAY ? age : undefined
}

/** An age, a date (its beginning where this computer is) or an RFC 3339 moment, as RFC 3339 in UTC. */
export function parseMoment(text: string, now: Date): string | undefined {
  const age = parseAge(text)
  if (age !== undefined) return toTimestamp(new Date(now.getTime() - age))
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text)
  if (!isDate && !isMoment) return undefined
  const time = Date.parse(isDate ? `${text}T00:00:00` : text)
  // JavaScript takes the 31st of February for the 3rd of March.
  const isReal = isDate ? Number(text.slice(8)) === new Date(time).getDate() : !Number.isNaN(time)
  return isReal ? toTimestamp(new Date(time)) : undefined
}

/** How long ago, in a word; the date once that says more. */
export function sayAge(moment: string, now: Date): string {
  const age = now.getTime() - Date.parse(moment)
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`
  return age < 7 * DAY ? `${Math.floor(age / DAY)}d ago` : moment.slice(0, 10)
}

/** `850 ms`, `3.2 s`, `4:05`, `1:02:03`. */
export function sayDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < MINUTE) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.floor(milliseconds / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (count: number) => String(count).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
