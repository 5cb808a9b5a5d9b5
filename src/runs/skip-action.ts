import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { skip } from '../engine/operations/skip.ts'
import { changeRun, reportChange } from './change-run.ts'
import type { RunContext } from './run-context.ts'

/** Passes over the current action of a run. */
export async function skipAction(context: RunContext, runId: string, actionId: string): Promise<ProtocolState> {
  const { run } = await changeRun(context, runId, { decide: (before, facts) => skip(before, actionId, facts) })
  return reportChange(run)
}
