/** Checks the branch of a delivered run out in the worktree of the user, who continues there by hand. */
import { askGit, gitErrorLine, SLOW_GIT_MS } from '../../workspace/git.ts'
import { findBranch, findCheckouts } from '../../workspace/worktrees/branch-checkouts.ts'
import { readDriveState, record } from '../drive-context.ts'
import { removeDelivered } from '../start/remove-delivered.ts'
import { type Acting, inRepository, requireDelivered } from './acting.ts'
import { branchCheckedOut, switchFailed } from './faults.ts'
import { refuseDirty } from './merge-run.ts'

export async function takeRun(acting: Acting): Promise<void> {
  const { place } = requireDelivered(acting)
  const { branch, root: own } = place
  const { git, signal, workspace } = acting.runs
  // A command may be given in the worktree of the run itself.
  const root = workspace.worktree_root === own ? place.repository : workspace.worktree_root
  const around = { directory: root, signal }
  if ((await findBranch(git, around)) !== branch) {
    await refuseDirty(acting, root)
    const kept = await removeDelivered(acting.worktrees, acting.runs, readDriveState(acting))
    if (kept !== undefined) throw switchFailed({ branch, problem: kept })
    const roots = await findCheckouts(git, inRepository(acting.runs), branch)
    if (roots.length > 0) throw branchCheckedOut({ branch, roots })
    const args = ['switch', '--quiet', '--no-guess', branch] as const
    const { code, stderr } = await askGit({ ...git, timeoutMs: SLOW_GIT_MS }, { ...around, args })
    if (code !== 0) throw switchFailed({ branch, problem: gitErrorLine(stderr) })
  }
  record(acting, 'taken', { by: acting.who, branch, root })
}
