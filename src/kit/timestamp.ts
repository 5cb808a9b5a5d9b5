const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/i
const MINUTES_A_DAY = 1440

/** Whether a text is an RFC 3339 date-time of a day that exists. Generated validators call this. */
export function isTimestamp(text: string): boolean {
  const match = RFC_3339.exec(text)
  if (match === null) return false
  const part = (index: number) => Number(match[index] ?? 0)
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const [offsetHour, offsetMinute] = [part(8), part(9)]
  if (part(3) < 1 || part(3) > daysIn({ year: part(1), month: part(2) })) return false
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  const offset = (match[7] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  return second < 60 || isLastMinuteOfADay(hour * 60 + minute - offset)
}

/** Whether a text is a date such as 2026-01-31 of a day that exists. Generated validators call this too. */
export function isDate(text: string): boolean {
  return isTimestamp(`${text}T00:00:00Z`)
}

/** A leap second is added to the last minute of a day in UTC. */
function isLastMinuteOfADay(minutes: number): boolean {
  return (minutes + 1) % MINUTES_A_DAY === 0
}

function daysIn({ year, month }: { year: number; month: number }): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}
