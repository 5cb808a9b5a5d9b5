import type { Usage } from '../../agents/adapter/agent.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { formatDollars, withLocalTimes, withUtcTimes } from '../../kit/wording.ts'
import { countTokens, splitTokens } from '../../prompts/tokens.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `just now`, `5m ago`, `3h ago`, `6d ago`; the date after a week. */
export function formatAge(timestamp: string, now: Date): string {
  const age = now.getTime() - Date.parse(timestamp)
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m ago`
  if (age < DAY) return `${Math.floor(age / HOUR)}h ago`
  return age < 7 * DAY ? `${Math.floor(age / DAY)}d ago` : timestamp.slice(0, 10)
}

/** `850 ms`, `3.2 s`, `4:05`, `1:02:03` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < MINUTE) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.floor(milliseconds / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const twoDigits = (count: number) => String(count).padStart(2, '0')
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(rest)}` : `${minutes}:${twoDigits(rest)}`
}

/** `120 in (40 cached), 30 out (10 reasoning)` */
export function formatUsage(usage: Usage, backend: string): string {
  const { input, cacheRead, output, reasoning } = splitTokens(usage, backend)
  return `${input} in (${cacheRead} cached), ${output} out (${reasoning} reasoning)`
}

/** All tokens of a turn; undefined if the agent has reported none, because every model call has some. */
export function formatTokenCount(usage: Usage | undefined, backend: string): string | undefined {
  const tokens = usage === undefined ? 0 : countTokens(usage, backend)
  return tokens === 0 ? undefined : String(tokens)
}

/** Undefined if it is not known. */
export function formatCost(costUsd: number | undefined, isPriced = false): string | undefined {
  return costUsd === undefined ? undefined : formatDollars(costUsd, isPriced)
}

type Paid = { cost_usd?: number | undefined; cost_kind?: 'reported' | 'priced' | 'plan' | undefined }

/** The same of one prompt; `plan` if a subscription pays. */
export function formatPaid({ cost_usd: cost, cost_kind: kind }: Paid): string | undefined {
  return cost === undefined && kind === 'plan' ? kind : formatCost(cost, kind === 'priced')
}

/** How times in a text are shown. */
export type Times = (text: string) => string

/** A terminal shows local times and how far away they are. A pipe gets seconds in UTC. */
export function timesFor({ isTty }: { readonly isTty: boolean }, now: () => Date): Times {
  return isTty ? (text) => withLocalTimes(text, now()) : withUtcTimes
}

export const asWritten: Times = (text) => text

export function verdictIn<V extends RunVerdict | undefined>(verdict: V, times: Times): V {
  if (verdict === undefined) return verdict
  const { line, reason, look_first: lookFirst } = verdict
  return { ...verdict, line: times(line), reason: times(reason), look_first: lookFirst.map(times) }
}
