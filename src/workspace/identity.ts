import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { digestSections } from '../kit/digest.ts'

type WorktreeDirectories = Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir' | 'git_common_dir'>

/** The identity of a worktree. The directories must be absolute and without links. */
export function identifyWorkspace({ worktree_root, git_dir, git_common_dir }: WorktreeDirectories): WorkspaceIdentity {
  const places = { worktree_root, git_dir, git_common_dir }
  return { version: 1, ...places, id: digestSections([['version', '1'], ...Object.entries(places)]) }
}

/** The directory of the repository that a worktree belongs to. */
export function repositoryOf({ git_common_dir: shared }: Pick<WorkspaceIdentity, 'git_common_dir'>): string {
  return shared.replace(/\/\.git$/, '')
}

/** Two worktrees of one repository share `git_common_dir` but are different workspaces. */
export function isSameWorkspace(one: WorkspaceIdentity, other: WorkspaceIdentity): boolean {
  const fields = ['version', 'worktree_root', 'git_dir', 'git_common_dir', 'id'] as const
  return fields.every((field) => one[field] === other[field])
}
