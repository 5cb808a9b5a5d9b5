/** Opens the forge that the remote `origin` of a run is on. */
import { type Forge, parseRemote } from '../forge/forge.ts'
import { locateGh } from '../forge/gh.ts'
import { GitHub } from '../forge/github-forge.ts'
import { askGit } from '../workspace/git.ts'
import type { DriveContext } from './drive-context.ts'
import { driveDeliveryFailed } from './faults.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'

/** A limit of GitHub is waited for this long. */
const PATIENCE_MS = 5 * 60_000

/** Throws `drive_delivery_failed` if `origin` is no repository that gh could know. */
export async function openForge(
  { runs, env }: Pick<DriveContext, 'runs' | 'env'>,
  { repository: cwd }: Pick<WorktreePlace, 'repository'>,
  patienceMs = PATIENCE_MS,
): Promise<Forge> {
  const { git, signal, workspace } = runs
  const args = ['remote', 'get-url', 'origin'] as const
  const { code, stdout } = await askGit(git, { directory: workspace.git_common_dir, args, signal })
  const repository = code === 0 ? parseRemote(stdout.toString('utf8').trim()) : undefined
  if (repository === undefined) {
    const problem =
      code === 0
        ? 'the remote origin is not a repository on GitHub'
        : 'the repository has no remote origin, which names its repository on GitHub ("git remote add origin URL")'
    throw driveDeliveryFailed({ problem })
  }
  return new GitHub({ repository, gh: locateGh({ env, cwd }, repository.host), signal, patienceMs })
}
