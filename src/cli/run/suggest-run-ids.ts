import { outlineRuns } from '../../runs/list-runs.ts'
import { openRunContext } from '../../runs/run-context.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Runtime } from '../command.ts'

const MOST_OFFERED = 50
const MOST_WAITED_MS = 2000

/** The ids of the latest runs of the worktree, for completion: waits for nobody long, and says nothing of trouble. */
export async function suggestRunIds({ env, cwd, clock, version }: Runtime): Promise<readonly string[]> {
  const git = locateGit({ env, cwd })
  const signal = AbortSignal.timeout(MOST_WAITED_MS)
  try {
    const workspace = await discoverWorkspace({ start: cwd, git, signal })
    const context = openRunContext({ workspace, git, clock, signal, version: version(), lockWaitMs: 200 })
    const { runs } = await outlineRuns(context)
    const own = runs.filter(({ workspace_foreign }) => workspace_foreign !== true)
    return own
      .map(({ id }) => id)
      .reverse()
      .slice(0, MOST_OFFERED)
  } catch {
    return []
  }
}
