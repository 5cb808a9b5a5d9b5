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
