/** What became of all driven runs of a repository since some time: the page for the morning. Pure. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
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

/** In the order of the page. */
export const NIGHT_SECTIONS = [
  'Delivered',
  'Delivered, look first',
  'Waits for you',
  'Not delivered',
  'Discarded',
  'Still running',
] as const

const SECTIONS: Readonly<Record<RunVerdict['word'], (typeof NIGHT_SECTIONS)[number]>> = {
  delivered: 'Delivered',
  merged: 'Delivered',
  'nothing to change': 'Delivered',
  'delivered, look first': 'Delivered, look first',
  'waits for you': 'Waits for you',
  'paused by limit': 'Waits for you',
  'not driven': 'Waits for you',
  'not delivered': 'Not delivered',
  discarded: 'Discarded',
  queued: 'Still running',
  running: 'Still running',
  'waiting for limit': 'Still running',
  // Such a run is a part of the next one.
  continued: 'Still running',
}

export function withSection<R extends { readonly verdict: RunVerdict }>(run: R) {
  return { ...run, section: SECTIONS[run.verdict.word] }
}
