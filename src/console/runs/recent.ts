/** What has ended lately: prompts and runs together, the latest first. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { hasEnded } from '../text/state-word.ts'

export type Recent = { at: string } & ({ execution: Execution } | { run: DrivenRun })

export function listRecent(executions: readonly Execution[], runs: readonly DrivenRun[]): Recent[] {
  return [
    ...executions.map((execution) => ({ at: execution.created_at, execution })),
    ...runs.filter(hasEnded).map((run) => ({ at: run.updated_at, run })),
  ].sort((a, b) => (a.at < b.at ? 1 : -1))
}

const DAY_MS = 86_400_000

/** By the calendar of the reader. */
export function groupByDay<R extends { at: string }>(items: readonly R[], now: number): { day: string; items: R[] }[] {
  const today = new Date(now).toDateString()
  const yesterday = new Date(now - DAY_MS).toDateString()
  const groups: { day: string; items: R[] }[] = []
  for (const item of items) {
    const date = new Date(item.at)
    const name = date.toDateString()
    const day = name === today ? 'Today' : name === yesterday ? 'Yesterday' : date.toLocaleDateString()
    const last = groups.at(-1)
    if (last?.day === day) last.items.push(item)
    else groups.push({ day, items: [item] })
  }
  return groups
}
