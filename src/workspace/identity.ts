import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { digestSections } from '../kit/digest.ts'

type Places = Pick<WorkspaceIdentity, 'worktree_root' | 'git_dir' | 'git_common_dir'>

/** The identity of the worktree with these directories, which are absolute and free of links. */
export function identifyWorkspace({ worktree_root, git_dir, git_common_dir }: Places): WorkspaceIdentity {
  const places = { worktree_root, git_dir, git_common_dir }
  return { version: 1, ...places, id: digestSections([['version', '1'], ...Object.entries(places)]) }
}

/** Worktrees of one repository share `git_common_dir` and are still not the same. */
export function isSameWorkspace(one: WorkspaceIdentity, other: WorkspaceIdentity): boolean {
  const fields = ['version', 'worktree_root', 'git_dir', 'git_common_dir', 'id'] as const
  return fields.every((field) => one[field] === other[field])
}
