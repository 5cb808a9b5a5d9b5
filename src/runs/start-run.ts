import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { start } from '../engine/operations/start.ts'
import { createRun } from '../journal/create-run.ts'
import { toTimestamp } from '../kit/clock.ts'
import { observeGit } from '../workspace/observe-git.ts'
import { type PinnedReading, reportChange, toMaterials } from './change-run.ts'
import type { RunContext } from './run-context.ts'
import { checkWorkspaceInPlace } from './run-worktree.ts'

export type RunRequest = {
  readonly goal: string
  readonly budget: number
  readonly reviewEnabled: boolean
  /** The issue that the run is bound to. */
  readonly reading?: PinnedReading | undefined
}

/** Starts a run. The response has its first action. `driveRecordOf`: the first record of its driver. */
export async function startRun(
  context: RunContext,
  request: RunRequest,
  driveRecordOf?: (runId: string) => Buffer,
): Promise<ProtocolState> {
  const { workspace, git, signal, clock, ids } = context
  const { reading, ...options } = request
  const observed = await observeGit({ start: workspace.worktree_root, isRoot: true, git, signal })
  const facts = { runId: ids.uuid(), actionId: ids.uuid(), now: toTimestamp(clock.now()), git: observed }
  const source = reading === undefined ? {} : { source: reading.source }
  const { run, event } = start({ ...options, ...source, workspace_identity: workspace }, facts)
  checkWorkspaceInPlace(context, run)
  createRun(context.store, {
    runId: run.id,
    event,
    materials: toMaterials(reading),
    driveRecord: driveRecordOf?.(run.id),
  })
  return reportChange(run)
}
