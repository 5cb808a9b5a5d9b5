/** What became of all driven runs of a repository since some time: the page for the morning. Pure. */
import { addSpent } from '../decide/spending.ts'
import type { MergeOrder } from './merge-order.ts'
import type { NightReport, NightRun } from './night-report.shape.ts'

type Overlap = NightReport['overlaps'][number]

export function toNightReport(since: string, runs: readonly NightRun[], merge: MergeOrder | undefined): NightReport {
  return {
    since,
    runs,
    spent: runs.reduce((sum, { spent }) => addSpent(sum, spent), { tokens: 0, cost_microusd: 0, time_ms: 0 }),
    ...(merge !== undefined && { merge }),
    overlaps: findOverlaps(runs),
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
