import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { start } from '../engine/operations/start.ts'
import { createRun } from '../journal/create-run.ts'
import { toTimestamp } from '../kit/clock.ts'
import { observeGit } from '../workspace/observe-git.ts'
import { reportChange } from './change-run.ts'
import { refuseMoved } from './own-workspace.ts'
import type { RunContext } from './run-context.ts'
import { type PinnedReading, toMaterials } from './source-texts.ts'

export type RunRequest = {
  readonly goal: string
  readonly budget: number
  readonly reviewEnabled: boolean
  /** The issue that the run is to serve. */
  readonly reading?: PinnedReading | undefined
}

/** A new run, with what is to be done first. */
export async function startRun(context: RunContext, request: RunRequest): Promise<ProtocolState> {
  const { workspace, git, signal, clock, ids } = context
  const { reading, ...asked } = request
  const seen = await observeGit({ start: workspace.worktree_root, isRoot: true, git, signal })
  const facts = { runId: ids.uuid(), actionId: ids.uuid(), now: toTimestamp(clock.now()), git: seen }
  const source = reading === undefined ? {} : { source: reading.source }
  const { run, event } = start({ ...asked, ...source, workspace_identity: workspace }, facts)
  refuseMoved(context, run)
  createRun(context.store, { runId: run.id, event, materials: toMaterials(reading) })
  return reportChange(run)
}
