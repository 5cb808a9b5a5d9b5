/** Times, counts and costs as people read them. Pure. */

/** Below a minute, as the command line says it. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`
}

/** The date after a week. */
export function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  const days = Math.floor(seconds / 86_400)
  if (days > 6) return time.slice(0, 10)
  return days === 1 ? '1 day ago' : `${days} days ago`
}

/** Budgets reset at midnight of UTC. */
export function formatReset(time: Date): string {
  const day = { day: 'numeric', month: 'long' } as const
  const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return time.toLocaleString([], { ...day, ...hour, timeZone: 'UTC', timeZoneName: 'short' })
}

export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  // The limits are those of the rounded numbers: 9950 is 10k and 999,500 is 1.0M.
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** Empty if nothing was used, as of an agent that failed at once. */
export function formatTokens(read: number, written: number): string {
  if (read + written === 0) return ''
  return `${formatCount(read)} ${read === 1 ? 'token' : 'tokens'} in, ${formatCount(written)} out`
}

/** `~` is in front of a cost that no agent reported, or a part of it. */
export function formatCost(cost: number, isPriced = false): string {
  return `${isPriced ? '~' : ''}$${cost.toFixed(cost > 0 && cost < 0.01 ? 4 : 2)}`
}

type Spent = { cost: number; priced?: number | undefined; unknown?: number | undefined }

/** `~$0.01, 3 attempts of unknown cost`, as `drover report` says it. Empty if nothing was paid. */
export function describeSpentCost({ cost, priced = 0, unknown = 0 }: Spent): string {
  const missing = unknown === 0 ? [] : [`${unknown === 1 ? '1 attempt' : `${unknown} attempts`} of unknown cost`]
  return [...(cost > 0 ? [formatCost(cost, priced > 0)] : []), ...missing].join(', ')
}

/** The part of the values below which the given share of them lies; undefined without values. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

export function nameOfRepository(repository: string): string {
  return (
    repository
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  )
}
