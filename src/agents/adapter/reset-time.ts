/**
 * Reads from the message of a failure how long to wait. Agents and model services write it in many ways: as a duration, as
 * a time of day with or without a date and a time zone, or as Unix time. Pure, and never throws.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** No plan has a usage window that is longer than a week. */
export const LONGEST_WAIT_MS = 8 * DAY_MS

/** When and where a message was written. */
export type Moment = { now: Date; zone?: string | undefined }

/** Undefined if the message has no time, or one that is in the past or too far ahead to be believed. */
export function waitIn(message: string, { now, zone }: Moment): number | undefined {
  const text = message.replaceAll(SPECIAL_SPACE, ' ')
  return believable(durationIn(text) ?? untilTimeIn(text, now, zone ?? localZone()))
}

/** Formatted times have them before `PM`. */
const SPECIAL_SPACE = /[\u00a0\u2009\u202f]/g

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** How long to wait until a time that an agent reports as a number: Unix time in seconds. */
export function waitUntil(unixSeconds: number, { now }: Moment): number | undefined {
  return believable(unixSeconds * 1000 - now.getTime())
}

/** Undefined if it is in the past, or too far ahead. */
export function believable(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && ms <= LONGEST_WAIT_MS ? ms : undefined
}

const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, MINUTE_MS],
  [/^(?:h|hrs?|hours?)$/, HOUR_MS],
  [/^(?:d|days?)$/, DAY_MS],
]

const PART = String.raw`\d{1,12}(?:\.\d{1,12})? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])`

/** `try again in 3 hours 12 minutes`, `Please retry in 36.5s`, `will reset after 15h24m10s`, `"retryDelay": "34s"` */
const DURATION = new RegExp(
  `(?:(?:try again|retry|wait|waiting|resets?|available)(?: again)?(?: in| after| for|:)? (?:about |another |~)?|retrydelay"?: ?"?)(${PART}(?:,? (?:and )?${PART}|${PART}){0,5})`,
  'i',
)

/** `"resets_in_seconds": 11520`, `retry-after: 30` */
const SECONDS = /(?:resets?_in_seconds|retry[-_]after(?:_secs|_seconds)?)"?[:=] ?"?(\d{1,12}(?:\.\d{1,12})?)(?![\w.])/i

function durationIn(message: string): number | undefined {
  const [, duration] = DURATION.exec(message) ?? []
  if (duration !== undefined) return lengthOf(duration.toLowerCase())
  const [, seconds] = SECONDS.exec(message) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

function lengthOf(duration: string): number {
  return [...duration.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)]
    .filter(([, , unit]) => unit !== 'and')
    .reduce((sum, [, count, unit = '']) => sum + Number(count) * unitMs(unit), 0)
}

function unitMs(unit: string): number {
  return UNIT_MS.find(([pattern]) => pattern.test(unit))?.[1] ?? 0
}

/** `usage limit reached|1763420400`, `"resets_at":1763420400` */
const UNIX_SECONDS = /(?:reached\||resets?_?at"?[:=] ?)(\d{10})(?!\d)/i

/** What stands before a time at which requests are allowed again. */
const BEFORE = '(?:resets?|try again|retry|available(?: again)?|regain access|until)(?: at| on| after| until|:)? '
const DATE_AND_TIME = new RegExp(
  String.raw`${BEFORE}(\d{4})-(\d\d)-(\d\d)(?:T| at | )(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?`,
  'i',
)
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const TIME_OF_DAY = new RegExp(
  String.raw`${BEFORE}(?:(${MONTHS.join('|')})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,| at)? )?(\d{1,2})(?::(\d\d))? ?([ap]m)?(?![\w:])`,
  'i',
)

function untilTimeIn(message: string, now: Date, zone: string): number | undefined {
  const [, unixSeconds] = UNIX_SECONDS.exec(message) ?? []
  const time =
    unixSeconds === undefined ? (dateIn(message, zone) ?? timeOfDayIn(message, now, zone)) : Number(unixSeconds) * 1000
  return time === undefined ? undefined : time - now.getTime()
}

/** `try again after 2026-11-20T15:45:00Z`, `regain access on 2026-12-01 at 00:00 UTC` */
function dateIn(message: string, local: string): number | undefined {
  const match = DATE_AND_TIME.exec(message)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  return toTime({ year, month, day, hour, minute, second }, zoneAfter(match, local))
}

/** `resets 3pm (Europe/Berlin)`, `resets Nov 20, 3:45pm (UTC)`, `Try again at 3:45 PM.`, `Nov 20th, 2026 3:45 PM` */
function timeOfDayIn(message: string, now: Date, local: string): number | undefined {
  const match = TIME_OF_DAY.exec(message)
  const [, month, day, year, hours = '', minutes, half] = match ?? []
  const hour = hourOf(Number(hours), half?.toLowerCase())
  if (match === null || hour === undefined || (minutes === undefined && half === undefined)) return undefined
  const zone = zoneAfter(match, local)
  const today = wallTime(now.getTime(), zone)
  if (today === undefined) return undefined
  const time = { ...today, hour, minute: Number(minutes ?? 0), second: 0 }
  if (month === undefined) return nextTime(time, zone, now)
  const date = { ...time, month: MONTHS.indexOf(month.toLowerCase()) + 1, day: Number(day) }
  const years = year === undefined ? [today.year, today.year + 1] : [Number(year)]
  return years
    .map((each) => toTime({ ...date, year: each }, zone))
    .find((each) => each !== undefined && each >= now.getTime())
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined
  return hour >= 1 && hour <= 12 ? (hour % 12) + (half === 'pm' ? 12 : 0) : undefined
}

/** Agents cut off seconds, and a message may be read late: a time that was a moment ago is not meant for tomorrow. */
const JUST_PASSED_MS = 10 * MINUTE_MS

function nextTime(time: WallTime, zone: string, now: Date): number | undefined {
  const days = [time.day, time.day + 1].map((day) => toTime({ ...time, day }, zone, { canOverflow: true }))
  return days.find((each) => each !== undefined && each > now.getTime() - JUST_PASSED_MS)
}

/** Letters are compared as they are: `at 3:45 PM EST` names a zone, `at 3:45 PM or later` does not. */
const ZONE = /^ ?\(?(Z\b|[A-Z]{2,5}\b|[A-Z][A-Za-z_]{1,30}(?:\/[A-Z][A-Za-z_+-]{1,30}){1,2}|[+-]\d\d:?\d\d\b)/

function zoneAfter({ 0: text, index, input }: RegExpExecArray, local: string): string {
  const [, zone] = ZONE.exec(input.slice(index + text.length)) ?? []
  return zone === 'Z' ? 'UTC' : (zone ?? local)
}

type WallTime = { year: number; month: number; day: number; hour: number; minute: number; second: number }

/** When a clock in that zone shows this time; undefined if there is no such date or zone. */
function toTime(wall: WallTime, zone: string, { canOverflow = false } = {}): number | undefined {
  const { year, month, day, hour, minute, second } = wall
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second)
  const date = new Date(asUtc)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (hour > 23 || minute > 59 || second > 59 || !(isReal || canOverflow)) return undefined
  // The second step is for a clock change between the two.
  const guess = offsetAt(asUtc, zone)
  const offset = guess === undefined ? undefined : offsetAt(asUtc - guess, zone)
  return offset === undefined ? undefined : asUtc - offset
}

/** How much later than in UTC it is in that zone. */
function offsetAt(time: number, zone: string): number | undefined {
  const wall = wallTime(time, zone)
  if (wall === undefined) return undefined
  const { year, month, day, hour, minute, second } = wall
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000
}

/** What a clock in that zone shows; undefined if there is no such zone. */
function wallTime(time: number, zone: string): WallTime | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      ...FIELDS,
    })
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
    return { year, month, day, hour, minute, second }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const
