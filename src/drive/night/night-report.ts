/** What became of all driven runs of a repository since some time: the page for the morning. Pure. */
import { addSpent } from '../decide/spending.ts'
import type { Spent } from '../record/spent.shape.ts'
import type { NightReport, NightRun } from './night-report.shape.ts'

type Overlap = NightReport['overlaps'][number]

export function toNightReport(since: string, runs: readonly NightRun[], merge: NightReport['merge']): NightReport {
  return {
    since,
    runs,
    spent: sumOf(runs.map(({ spent }) => spent)),
    ...(merge !== undefined && { merge }),
    overlaps: findOverlaps(runs.filter(({ verdict }) => verdict.word !== 'discarded')),
  }
}

function sumOf(each: readonly NightRun['spent'][]): NightReport['spent'] {
  const unknown = each.reduce((sum, { unknown_cost_attempts: count = 0 }) => sum + count, 0)
  return {
    ...each.reduce<Spent>(addSpent, { tokens: 0, cost_microusd: 0, time_ms: 0 }),
    ...(unknown > 0 && { unknown_cost_attempts: unknown }),
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
