/** Reports what a process does for a run to OpenTelemetry. Loaded only if telemetry is on. */
import { Fault } from '../kit/fault.ts'
import type { Caller } from '../prompts/caller.ts'
import { workflowAttributes } from '../telemetry/genai.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { spentBy } from './decide/spending.ts'
import type { DriveEnd } from './drive-run.ts'
import type { DriveState } from './record/drive-state.ts'

type TracedDrive = {
  readonly telemetry: Telemetry
  readonly by: Caller
  readonly runId: string
}

/** Each process that drives a run has a span of it. They are in one trace: that of the request, or one that the id of the run gives. */
export async function traceDrive<T extends { readonly end: DriveEnd; readonly state: DriveState }>(
  { telemetry, by, runId }: TracedDrive,
  drive: (by: Caller) => Promise<T>,
): Promise<T> {
  const common = workflowAttributes()
  const span = telemetry.start({
    name: 'invoke_workflow drive',
    parent: by.trace,
    seed: runId,
    attributes: { ...common, 'drover.run.id': runId },
  })
  const startedAt = performance.now()
  let problem: string | undefined = '_OTHER'
  try {
    const result = await drive({ ...by, trace: span.trace })
    const { end, state } = result
    const { cost_microusd: cost, tokens } = spentBy(state)
    span.set({
      'drover.run.end': end.is,
      'drover.run.tokens': tokens,
      ...(cost > 0 && { 'drover.cost_usd': cost / 1e6 }),
    })
    problem = end.is === 'paused' ? end.reason : undefined
    return result
  } catch (error) {
    if (error instanceof Fault) problem = error.code
    throw error
  } finally {
    span.end(problem)
    const seconds = (performance.now() - startedAt) / 1000
    telemetry.measure('gen_ai.workflow.duration', seconds, { ...common, 'error.type': problem })
  }
}
