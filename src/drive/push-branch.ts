/** Pushes the branch of a run. */
import { tryTo } from '../kit/fault.ts'
import { digestRemotes, readGitSettings } from '../kit/git/read-settings.ts'
import { askGit, gitErrorLine } from '../workspace/git.ts'
import { findRecordAt } from '../workspace/worktree-records.ts'
import type { DriveContext, Recording } from './drive-context.ts'
import { driveBranchTaken, driveDeliveryFailed } from './faults.ts'
import { readFollowRecord } from './read-verdict.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'

const NETWORK_TIMEOUT_MS = 5 * 60_000

/** Never over what another person pushed: git compares the branch of the remote with the commit that drover pushed last. */
export async function pushBranch(context: Recording, { branch }: WorktreePlace): Promise<void> {
  const { runs, runId } = context
  const { commit = '' } = readFollowRecord(context)
  const git = { ...runs.git, timeoutMs: NETWORK_TIMEOUT_MS }
  const ref = `refs/heads/${branch}`
  // Whatever push.recurseSubmodules says: the repository of a submodule may be an agent's.
  const quiet = ['--quiet', '--recurse-submodules=no', '--no-signed'] as const
  const args = ['push', ...quiet, `--force-with-lease=${ref}:${commit}`, 'origin', `${ref}:${ref}`] as const
  const { git_common_dir: directory } = runs.workspace
  const { code, stderr } = await askGit(git, { directory, args, signal: runs.signal, allowsNetwork: true })
  if (code === 0) return
  if (/\((?:stale info|fetch first|non-fast-forward)\)/.test(stderr)) throw driveBranchTaken({ branch, run_id: runId })
  throw driveDeliveryFailed({ problem: `git push failed: ${gitErrorLine(stderr)}` })
}

/** Throws `drive_delivery_failed` if the settings for remotes are not those with which the run began. */
export function refuseChangedRemotes(
  { runs: { git, workspace } }: Pick<DriveContext, 'runs'>,
  { root, branch }: WorktreePlace,
): void {
  const begun = findRecordAt(root)?.remotes
  if (begun === undefined || begun === readRemotes(workspace.git_dir, git.env['HOME'])) return
  throw driveDeliveryFailed({
    problem: `settings for remotes in .git/config changed while the agents ran, so nothing was pushed; compare them, and push ${branch} yourself`,
  })
}

function readRemotes(directory: string, home: string | undefined): string | undefined {
  return tryTo(() => digestRemotes(readGitSettings({ directory, home })))
}
