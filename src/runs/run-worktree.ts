import { realpathSync } from 'node:fs'
import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { makeVariant } from '../contract/next-variants.ts'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { noHint } from '../engine/next-hint.ts'
import { readRunHeader } from '../journal/read-run.ts'
import { Fault } from '../kit/fault.ts'
import { systemReason } from '../kit/files/disk.ts'
import { findRunsAround } from '../kit/process/processes-around.ts'
import { discoverWorkspace, isSameWorkspace } from '../workspace/discover-workspace.ts'
import { runOfOwnAgent, workspaceIdentityMismatch } from './faults.ts'
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

type OwnedRun = { readonly id: string; readonly workspace_identity: WorkspaceIdentity }

/** Throws `workspace_identity_mismatch` if the run belongs to another worktree. */
export function checkSameWorkspace({ workspace }: RunContext, run: OwnedRun): void {
  if (isSameWorkspace(workspace, run.workspace_identity)) return
  const { worktree_root: owner } = run.workspace_identity
  const isGone = findPathProblem(owner) !== undefined
  const next = isGone
    ? commandHint(workspace, makeVariant('list-runs', { ROOT: workspace.worktree_root }))
    : commandHint(run.workspace_identity, makeVariant('inspect-run-in-its-workspace', { ROOT: owner }))
  throw mismatch(run, { next, isGone, observed: { observed_workspace_identity: workspace.id } })
}

/** Throws `workspace_identity_mismatch` if the worktree was moved or replaced since the command started. */
export function checkWorkspaceInPlace({ workspace }: RunContext, run: OwnedRun): void {
  const { worktree_root, git_dir, git_common_dir } = workspace
  for (const directory of [worktree_root, git_dir, git_common_dir]) {
    const problem = findPathProblem(directory)
    if (problem === undefined) continue
    const next = noHint(run.workspace_identity)
    throw mismatch(run, { next, isGone: false, observed: { discovery_error: problem } })
  }
}

function findPathProblem(directory: string): string | undefined {
  try {
    // With the separator at its end, a path that is not a directory is an error.
    const found = realpathSync.native(`${directory}/`)
    return found === directory ? undefined : `${directory} is now a link to ${found}`
  } catch (error) {
    return `${directory} cannot be entered: ${systemReason(error)}`
  }
}

type Observed = { readonly observed_workspace_identity: string } | { readonly discovery_error: string }

type Mismatch = { readonly next: Next; readonly isGone: boolean; readonly observed: Observed }

function mismatch({ id, workspace_identity }: OwnedRun, { next, isGone, observed }: Mismatch): Fault {
  const { id: expected, worktree_root: owner } = workspace_identity
  const details: CliError['details'] = { expected_workspace_identity: expected, ...observed }
  return workspaceIdentityMismatch({ run_id: id, owner, isGone, next, details })
}

/** What can follow about a run of another worktree: to look at it there, or nothing if that worktree is gone. */
export function hintForForeign({ id, workspace_identity }: OwnedRun): Next {
  const { worktree_root: ROOT } = workspace_identity
  if (findPathProblem(ROOT) !== undefined) return noHint(workspace_identity)
  return commandHint(workspace_identity, makeVariant('inspect-run-in-its-workspace', { RUN: id, ROOT }))
}

/** Offers a command in the worktree that a run belongs to. */
function commandHint({ id }: WorkspaceIdentity, variant: ReturnType<typeof makeVariant>): Next {
  return { operation: 'command', workspace_identity: id, variants: [variant] }
}
