/** Git for a worktree in which an agent may have replaced `.git`. The repository itself knows which worktrees it has. */

import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { orUndefined } from '../../kit/fault.ts'
import { gitFailed } from '../faults.ts'
import type { Git } from '../git.ts'
import type { Worktree } from '../worktree-records.ts'

type Place = Pick<Worktree, 'path' | 'git_common_dir'>

/** Throws `git_failed` if the repository does not know the worktree. Runs no git. */
export function pinToWorktree(git: Git, { path, git_common_dir: shared }: Place): Git & Required<Pick<Git, 'pinned'>> {
  const all = join(shared, 'worktrees')
  const root = orUndefined(() => realpathSync.native(path))
  const name = orUndefined(() => readdirSync(all))?.find((each) => findWorktreeRoot(join(all, each)) === root)
  if (root === undefined || name === undefined) {
    throw gitFailed({ command: 'git worktree', problem: `${shared} has no worktree ${path}` })
  }
  return { ...git, pinned: { worktree_root: path, git_dir: join(all, name) } }
}

/** The root of the worktree that a git directory belongs to. Its file `gitdir` names the `.git` there. */
function findWorktreeRoot(gitDir: string): string | undefined {
  return orUndefined(() => {
    const link = readFileSync(join(gitDir, 'gitdir'), 'utf8').replace(/\n$/, '')
    return realpathSync.native(dirname(resolve(gitDir, link)))
  })
}

/** More than the name of a directory needs. */
const LINK_LIMIT_BYTES = 64 * 1024

/** Whether the `.git` of a worktree is still the file that names its git directory. */
export function isLinkedTo(gitDir: string, worktreeRoot: string): boolean {
  const found = orUndefined(() => {
    const link = join(worktreeRoot, '.git')
    const file = lstatSync(link)
    if (!file.isFile() || file.size > LINK_LIMIT_BYTES) return undefined
    const [, target] = /^gitdir: (.+?)\s*$/s.exec(readFileSync(link, 'utf8')) ?? []
    return target === undefined ? undefined : realpathSync.native(resolve(worktreeRoot, target))
  })
  return found !== undefined && found === orUndefined(() => realpathSync.native(gitDir))
}
