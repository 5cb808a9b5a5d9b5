/** What an agent may have changed about how the work is pushed: programs, addresses and credentials of a remote. */
import { tryTo } from '../kit/fault.ts'
import { digestRemotes, readGitSettings } from '../kit/git/read-settings.ts'
import { findRecordAt } from '../workspace/worktree-records.ts'
import type { DriveContext } from './drive-context.ts'
import { driveDeliveryFailed } from './faults.ts'
import type { Place } from './record/drive-event.shape.ts'

type WorktreePlace = Extract<Place, { kind: 'worktree' }>

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
