/** What driven runs have used, by repository and by the day on which they began. Pure. */

import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { nameOfRepository } from '../text/format.ts'
import type { SeriesReport } from './day-series.ts'

type UsedBy = Pick<DrivenRun, 'repository' | 'created_at' | 'next_run_id' | 'spent'>

export type RepositoryUsage = {
  readonly repository: string
  readonly runs: number
  readonly tokens: number
  readonly cost: number
  readonly isPriced: boolean
  readonly ms: number
}

export type RunUsage = { readonly report: SeriesReport; readonly repositories: readonly RepositoryUsage[] }

/** `since` and `until` are days. The last round of a run has used what all of its rounds have. */
export function toRunUsage(runs: readonly UsedBy[], since: string, until: string): RunUsage {
  const counted = runs.filter((run) => run.next_run_id === undefined && run.created_at.slice(0, 10) >= since)
  const rows = counted.map(({ repository, created_at: at, spent }) => ({
    ...{ day: at.slice(0, 10), repository: nameOfRepository(repository) },
    ...{ input_tokens: spent.tokens, output_tokens: 0, cost_usd: spent.cost_usd },
  }))
  const names = [...new Set(counted.map(({ repository }) => repository))]
  const repositories = names.map((repository): RepositoryUsage => {
    const own = counted.filter((run) => run.repository === repository)
    const sum = (of: (spent: DrivenRun['spent']) => number) => own.reduce((total, { spent }) => total + of(spent), 0)
    return {
      ...{ repository, runs: own.length, tokens: sum(({ tokens }) => tokens), cost: sum((spent) => spent.cost_usd) },
      ...{
        isPriced: own.some(({ spent }) => spent.priced_usd !== undefined),
        ms: sum((spent) => spent.time_secs) * 1000,
      },
    }
  })
  return { report: { since, until, rows }, repositories: repositories.sort((a, b) => b.tokens - a.tokens) }
}
