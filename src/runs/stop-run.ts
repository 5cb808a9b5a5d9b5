import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { stop } from '../engine/operations/stop.ts'
import { changeRun, reportChange } from './change-run.ts'
import { runIdRequired } from './faults.ts'
import type { RunList } from './list-runs.ts'
import type { RunContext } from './run-context.ts'

/** Interrupts a run; its current action is withdrawn. */
export async function stopRun(context: RunContext, runId: string): Promise<ProtocolState> {
  const { run } = await changeRun(context, runId, { decide: stop })
  return reportChange(run)
}

/** The run that "stop" without a name can only mean. Where one cannot be read, it could be that one. */
export function onlyStoppable({ runs, unavailable_runs }: RunList): string {
  const stoppable = runs.filter(
    ({ workspace_foreign, state }) => workspace_foreign !== true && (state === 'active' || state === 'paused'),
  )
  const [only] = stoppable
  if (unavailable_runs.length > 0)
    throw runIdRequired({ problem: 'not every run can be read, so it cannot be told which one is meant' })
  if (only === undefined) throw runIdRequired({ problem: 'there is no run here that could be stopped' })
  if (stoppable.length > 1) throw runIdRequired({ problem: `${stoppable.length} runs could be stopped` })
  return only.id
}
