/** Where "now" comes from. Decisions are given a time; only the edges ask a clock. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** What was written last: much happens within one millisecond, and to write a date anew takes longer than most of it. */
let last = { ms: Number.NaN, text: '' }

/** RFC 3339 in UTC with milliseconds: the one form in which drover writes a moment. */
export function toTimestamp(moment: Date): string {
  const ms = moment.getTime()
  if (ms !== last.ms) last = { ms, text: moment.toISOString() }
  return last.text
}
