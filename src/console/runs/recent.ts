/** What has ended lately: prompts and runs together, the latest first. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'

/** The other states are under Needs you, or running. */
const ENDED: readonly DrivenRun['state'][] = ['ended', 'continued', 'stopped']

type Recent = { at: string } & ({ execution: Execution } | { run: DrivenRun })

export function listRecent(executions: readonly Execution[], runs: readonly DrivenRun[]): Recent[] {
  return [
    ...executions.map((execution) => ({ at: execution.created_at, execution })),
    ...runs.filter(({ state }) => ENDED.includes(state)).map((run) => ({ at: run.updated_at, run })),
  ].sort((a, b) => (a.at < b.at ? 1 : -1))
}
