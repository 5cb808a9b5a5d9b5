/** What became of all driven runs of a repository since some time: the page for the morning. Pure. */
import type { Spent } from '../record/drive-event.shape.ts'
import type { MergeOrder } from './merge-order.ts'
import type { NightReport, NightRun } from './night-report.shape.ts'

type Overlap = NightReport['overlaps'][number]

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
