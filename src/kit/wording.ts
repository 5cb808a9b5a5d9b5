/**
 * How drover words times, lists and costs. Times are as people at a terminal read them. Files, pipes and notifications get
 * seconds in UTC; JSON gets the timestamps of `toTimestamp`. Pure but for the time zone.
 */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** drover writes them after these words, or alone. Times in texts of agents stay as they are, mostly. */
const MOMENT = /(?<=^|\b(?:until|since|again at) )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** `limited until 01:00, in 3 h 20 min` for `limited until 2026-11-19T01:00:00.000Z` */
export function withLocalTimes(text: string, now: Date): string {
  return text.replaceAll(MOMENT, (time) => formatMoment(time, now))
}

/** `limited until 2026-11-19 01:00:00 UTC`, for texts that are read elsewhere or later. */
export function withUtcTimes(text: string): string {
  return text.replaceAll(MOMENT, (time) => `${time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' ')} UTC`)
}

/** `01:00, in 3 h 20 min`, `20:10, 5 min ago`; the date is there if it is a day away or more. */
export function formatMoment(time: string, now: Date): string {
  const at = new Date(time)
  const ms = at.getTime() - now.getTime()
  const minute = toLocalMinute(time)
  return `${Math.abs(ms) < DAY ? minute.slice('yyyy-mm-dd '.length) : minute}, ${formatDistance(ms)}`
}

/** `2026-11-19 01:00` in the time zone of the process. */
export function toLocalMinute(time: string): string {
  const at = new Date(time)
  const [month, day, hours, minutes] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${at.getFullYear()}-${month}-${day} ${hours}:${minutes}`
}

function formatDistance(ms: number): string {
  const length = formatLength(Math.abs(ms))
  return ms > 0 ? `in ${length}` : `${length} ago`
}

function formatLength(ms: number): string {
  if (ms < MINUTE) return 'less than a minute'
  if (ms >= 2 * DAY) return `${Math.round(ms / DAY)} days`
  const [hours, minutes] = [Math.floor(ms / HOUR), Math.floor(ms / MINUTE) % 60]
  const parts = [...(hours > 0 ? [`${hours} h`] : []), ...(minutes > 0 ? [`${minutes} min`] : [])]
  return parts.join(' ')
}

/** `a, b and 3 more`. `count` is how many there are, if `items` has only the first of them. */
export function listSome(items: readonly string[], shown: number, count = items.length): string {
  const text = items.slice(0, shown).join(', ')
  return count > shown ? `${text} and ${count - shown} more` : text
}

/** Dollars: `$0.0043`, `$1.23`. `~` is in front of a cost that no agent reported, or a part of it. */
export function formatDollars(cost: number, isPriced = false): string {
  if (cost === 0) return '$0.00'
  const shown = cost < 0.0001 ? '<$0.0001' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`
  return isPriced ? `~${shown}` : shown
}

/** Costs are recorded in millionths of a dollar. */
export function formatMicro(cost: number, isPriced = false): string {
  return formatDollars(cost / 1_000_000, isPriced)
}
