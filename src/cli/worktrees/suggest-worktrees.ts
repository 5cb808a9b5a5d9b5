import { findPaths } from '../../config/paths.ts'
import { listWorktrees } from '../../workspace/worktree-records.ts'
import type { Runtime } from '../command.ts'

/** For completion: the names of the worktrees. An error gives an empty list. */
export async function suggestWorktrees({ env, homeDirectory, cwd }: Runtime): Promise<readonly string[]> {
  try {
    return listWorktrees(findPaths({ env, homeDirectory, cwd }).worktrees).map(({ name }) => name)
  } catch {
    return []
  }
}
