/** Prepares the worktree of a run before any agent is paid. */
import { isFault } from '../kit/fault.ts'
import { preparationFailed } from '../workspace/faults.ts'
import { type Preparation, prepareWorktree } from '../workspace/prepare/prepare-worktree.ts'
import { commandRunner } from './drive-boundary.ts'
import { type DriveContext, readDriveState, record } from './drive-context.ts'
import type { BaselineRun } from './record/drive-state.ts'
import type { Options } from './record/recorded-options.shape.ts'
import { toEnd } from './run-checks.ts'

const DEFAULT_SETUP_TIMEOUT_MS = 15 * 60_000

/** Older records have none of it. */
export function toPreparation(options: Options): Preparation {
  const { setup = [], copy = [], share = [], setup_timeout_ms: timeoutMs = DEFAULT_SETUP_TIMEOUT_MS } = options
  return { setup, copy, share, timeoutMs }
}

/** If it is interrupted, the next driver begins it again. */
export async function prepare(context: DriveContext): Promise<void> {
  const { runs, env, templates } = context
  const { options, place } = readDriveState(context)
  if (place.kind === 'in_place') return
  const startedAt = performance.now()
  const { git, clock, signal, workspace } = runs
  try {
    const end = await prepareWorktree({
      preparation: toPreparation(options),
      ...{ root: place.root, userTree: place.repository, repository: workspace.git_common_dir },
      ...{ templates, git, env, clock, signal },
      runCommand: commandRunner(context, { by: 'setup' }),
      onStep: ({ is: step, ...command }) => record(context, 'preparing', { step, ...command }),
    })
    if (end.is === 'failed') return record(context, 'setup_failed', { command: end.setup.command, ...toEnd(end.setup) })
    const { from, copied, notes } = end
    const duration_ms = Math.round(performance.now() - startedAt)
    record(context, 'prepared', { from, copied: [...copied], notes: [...notes], duration_ms })
  } catch (error) {
    if (signal.aborted) return
    if (!isFault(error, preparationFailed)) throw error
    const duration_ms = Math.round(performance.now() - startedAt)
    record(context, 'setup_failed', { problem: error.message, duration_ms, output: '' })
  }
}

/** Checks fail before the work: a person decides, or it is only noted. */
export async function decideBaseline(context: DriveContext, failed: readonly BaselineRun[]): Promise<void> {
  const answer = await context.confirmBaseline?.(failed)
  if (context.runs.signal.aborted) return
  const by = answer === undefined ? 'drover' : 'person'
  record(context, 'baseline_decided', { by, is_accepted: answer ?? true })
}
