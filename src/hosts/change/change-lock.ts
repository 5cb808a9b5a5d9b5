/** One process at a time changes the hosts of a repository. */
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { withLock } from '../../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { openWorktree, type TreeDisk } from '../worktree.ts'
import type { Site } from './end-change.ts'

type Turn = { workspace: WorkspaceIdentity; signal: AbortSignal; disk: TreeDisk }

/** Where the records of changes of this worktree are. */
export function recordsDirectory({ git_dir }: WorkspaceIdentity): string {
  return join(git_dir, 'drover', 'hosts')
}

/** One for all worktrees of the repository. */
export function changesLock({ git_common_dir }: WorkspaceIdentity): string {
  return join(git_common_dir, 'drover', 'hosts', 'lock')
}

/** Waits for its turn, for as long as `takeLock` does. */
export async function whileNobodyElseChanges<T>(
  { workspace, signal, disk }: Turn,
  work: (site: Site) => T,
): Promise<T> {
  const { git_common_dir, git_dir } = workspace
  // Each folder by itself: none of them may be a link out of the git directory.
  for (const git of [git_common_dir, git_dir]) {
    for (const path of [join(git, 'drover'), join(git, 'drover', 'hosts')]) ensurePrivateDirectory({ path }, disk)
  }
  return withLock({ path: changesLock(workspace), mode: 'exclusive', signal }, () => {
    using tree = openWorktree(workspace.worktree_root, disk)
    return work({ tree, records: recordsDirectory(workspace) })
  })
}
