/** The lock that lets one process at a time change the hosts of a repository. */
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { withLock } from '../../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { openWorktree, type TreeDisk } from '../worktree.ts'
import type { ChangeContext } from './end-change.ts'

type LockRequest = { workspace: WorkspaceIdentity; signal: AbortSignal; disk: TreeDisk }

/** The directory with the change records of this worktree. */
export function recordsDirectory({ git_dir }: WorkspaceIdentity): string {
  return join(git_dir, 'drover', 'hosts')
}

/** All worktrees of a repository share one lock. */
export function changesLock({ git_common_dir }: WorkspaceIdentity): string {
  return join(git_common_dir, 'drover', 'hosts', 'lock')
}

/** Waits for the lock as long as `takeLock` does. */
export async function withChangeLock<T>(lockRequest: LockRequest, work: (context: ChangeContext) => T): Promise<T> {
  const { workspace, signal, disk } = lockRequest
  const { git_common_dir, git_dir } = workspace
  // One folder at a time: none of them may be a link out of the git directory.
  for (const git of [git_common_dir, git_dir]) {
    for (const path of [join(git, 'drover'), join(git, 'drover', 'hosts')]) ensurePrivateDirectory({ path }, disk)
  }
  return withLock({ path: changesLock(workspace), mode: 'exclusive', signal }, () => {
    using tree = openWorktree(workspace.worktree_root, disk)
    return work({ tree, records: recordsDirectory(workspace) })
  })
}
