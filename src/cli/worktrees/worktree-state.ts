/** What would be lost with a worktree. */
import { existsSync } from 'node:fs'
import { Fault } from '../../kit/fault.ts'
import type { Git } from '../../workspace/git.ts'
import type { FoundWorktree } from '../../workspace/worktree-records.ts'
import {
  describeKeepReason,
  findKeepReason,
  inspectWorktree,
  type KeepReason,
} from '../../workspace/worktrees/inspect-worktree.ts'

export type WorktreeState = 'removable' | 'directory_missing' | 'repository_missing' | 'unknown' | KeepReason

export async function readWorktreeState(
  worktree: FoundWorktree,
  git: Git,
  signal: AbortSignal,
): Promise<WorktreeState> {
  if (!existsSync(worktree.git_common_dir)) return 'repository_missing'
  if (worktree.isMissing) return 'directory_missing'
  try {
    return findKeepReason(await inspectWorktree({ git, worktree, signal })) ?? 'removable'
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return 'unknown'
  }
}

const TEXTS: Partial<Record<WorktreeState, string>> = {
  removable: 'nothing would be lost',
  directory_missing: 'its directory was deleted',
  repository_missing: 'its repository is gone',
  unknown: 'git cannot read it',
}

export function describeState(state: WorktreeState): string {
  return TEXTS[state] ?? describeKeepReason(state as KeepReason)
}
