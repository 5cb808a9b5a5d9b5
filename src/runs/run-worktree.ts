import { readRunHeader } from '../journal/read-run.ts'
import { Fault } from '../kit/fault.ts'
import { findRunsAround } from '../kit/process/nesting.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { isSameWorkspace } from '../workspace/identity.ts'
import { runOfOwnAgent } from './faults.ts'
import type { RunContext } from './run-context.ts'

/**
 * The same runs, seen from the worktree that the run belongs to. People may answer a run from any worktree of its repository.
 * If that worktree is gone, the context stays as it is, and the operation on the run reports it.
 */
export async function openOwnWorktree(context: RunContext, runId: string): Promise<RunContext> {
  const { workspace_identity: owner } = readRunHeader(context.store, runId)
  if (isSameWorkspace(context.workspace, owner)) return context
  try {
    const { git, signal } = context
    const workspace = await discoverWorkspace({ start: owner.worktree_root, git, signal })
    return isSameWorkspace(workspace, owner) ? { ...context, workspace } : context
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return context
  }
}

/** The same for reading, which does not need the worktree: drover removes that of a driven run once its work is delivered. */
export function asOwner(context: RunContext, runId: string): RunContext {
  return { ...context, workspace: readRunHeader(context.store, runId).workspace_identity }
}

/** Throws `run_of_own_agent` if this process works for the run. */
export function refuseOwnRun({ git }: Pick<RunContext, 'git'>, runId: string): void {
  if (findRunsAround(git.env).has(runId)) throw runOfOwnAgent({ run_id: runId })
}
