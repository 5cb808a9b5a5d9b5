/** What became of all driven runs of a repository since some time: the page for the morning. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { Spent } from '../record/drive-event.shape.ts'
import type { MergeOrder } from './merge-order.ts'

export type NightRun = {
  readonly run_id: string
  readonly title: string
  readonly verdict: RunVerdict
  /** Of all its rounds. */
  readonly spent: Spent
  /** The files that it changes. */
  readonly paths: readonly string[]
}

export type NightReport = {
  readonly since: string
  readonly runs: readonly NightRun[]
  readonly spent: Spent
  readonly merge?: MergeOrder
  /** Files that several open runs change. */
  readonly overlaps: readonly Overlap[]
}

type Overlap = { readonly path: string; readonly run_ids: readonly string[] }

export function toNightReport(since: string, runs: readonly NightRun[], merge: MergeOrder | undefined): NightReport {
  return {
    since,
    runs,
    spent: runs.reduce((sum, { spent }) => add(sum, spent), { tokens: 0, cost_microusd: 0, time_ms: 0 }),
    ...(merge !== undefined && { merge }),
    overlaps: findOverlaps(runs),
  }
}

function add(one: Spent, other: Spent): Spent {
  return {
    tokens: one.tokens + other.tokens,
    cost_microusd: one.cost_microusd + other.cost_microusd,
    time_ms: one.time_ms + other.time_ms,
  }
}

function findOverlaps(runs: readonly Pick<NightRun, 'run_id' | 'paths'>[]): Overlap[] {
  const byPath = new Map<string, string[]>()
  for (const { run_id, paths } of runs) {
    for (const path of new Set(paths)) byPath.set(path, [...(byPath.get(path) ?? []), run_id])
  }
  return [...byPath]
    .filter(([, ids]) => ids.length > 1)
    .map(([path, run_ids]) => ({ path, run_ids }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}
