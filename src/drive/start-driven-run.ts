/** Starts a run that is driven from its first moment: its record is created together with it, or neither is. */
import { toTimestamp } from '../kit/clock.ts'
import type { RunContext } from '../runs/run-context.ts'
import { type RunRequest, startRun } from '../runs/start-run.ts'
import type { EventOf } from './record/drive-event.shape.ts'
import { encodeFirstEvent } from './record/drive-journal.ts'

type Started = EventOf<'drive_started'>['data']

/** Returns the id of the run. */
export async function startDrivenRun(
  runs: RunContext,
  request: RunRequest,
  started: Omit<Started, 'run_id' | 'is_reviewed'>,
): Promise<string> {
  const { run_id } = await startRun(runs, request, (runId) =>
    encodeFirstEvent(runId, {
      type: 'drive_started',
      at: toTimestamp(runs.clock.now()),
      data: { run_id: runId, ...started, is_reviewed: request.reviewEnabled },
    }),
  )
  return run_id
}
