import { isAbsolute, resolve } from 'node:path'
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

/** Whether an identity that was read from somewhere is one that could have been given out. */
export function isSoundIdentity(identity: WorkspaceIdentity): boolean {
  const places = [identity.worktree_root, identity.git_dir, identity.git_common_dir]
  const areClean = places.every(
    (path) => path.isWellFormed() && !path.includes('\0') && isAbsolute(path) && resolve(path) === path,
  )
  return areClean && isSameWorkspace(identity, identifyWorkspace(identity))
}
