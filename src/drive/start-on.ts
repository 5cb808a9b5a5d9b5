/** Puts the worktree of a run on the branch of the run before it. Nothing was done in it yet. */
import { askGit, gitErrorLine } from '../workspace/git.ts'
import { SLOW_GIT_MS } from '../workspace/worktrees/git-time.ts'
import { deliveredCommit } from './decide/queue.ts'
import { type DriveContext, record } from './drive-context.ts'
import { driveNotAfter } from './faults.ts'
import { lastRound } from './read-verdict.ts'

/** If it is interrupted, the next driver does it again. Throws `drive_not_after` if there is no such branch. */
export async function startOn(context: DriveContext, after: string): Promise<void> {
  const { runs } = context
  const commit = deliveredCommit(lastRound(runs.store, after))
  if (commit === undefined) throw driveNotAfter({ run_id: after, problem: 'it has not delivered a branch' })
  const { code, stderr } = await askGit(
    { ...runs.git, timeoutMs: SLOW_GIT_MS },
    {
      directory: runs.workspace.worktree_root,
      args: ['reset', '--hard', '--quiet', '--no-recurse-submodules', commit],
      signal: runs.signal,
    },
  )
  if (code !== 0) throw driveNotAfter({ run_id: after, problem: gitErrorLine(stderr) })
  record(context, 'started_on', { run_id: after, commit })
}
