/** Where "now" comes from. Decisions are given a time; only the edges ask a clock. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** RFC 3339 in UTC with milliseconds: the one form in which drover writes a moment. */
export function toTimestamp(moment: Date): string {
  return moment.toISOString()
}
