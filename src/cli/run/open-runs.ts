import { outlineRuns } from '../../runs/read-status.ts'
import { openRunContext, type RunContext } from '../../runs/run-context.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Runtime } from '../command.ts'
import type { WorkspaceCommand } from '../workspace-command.ts'

export async function openRuns(command: WorkspaceCommand, { clock, version }: Runtime): Promise<RunContext> {
  return openRunContext({ ...(await command.findWorkspace()), clock, version: version() })
}

const MAX_SUGGESTIONS = 50
const COMPLETION_TIMEOUT_MS = 2000
const COMPLETION_LOCK_WAIT_MS = 200

/** For completion: the latest runs of this worktree, newest first, then those of others. An error gives an empty list. */
export async function suggestRunIds({ env, cwd, clock, version }: Runtime): Promise<readonly string[]> {
  const git = locateGit({ env, cwd })
  const signal = AbortSignal.timeout(COMPLETION_TIMEOUT_MS)
  try {
    const workspace = await discoverWorkspace({ start: cwd, git, signal })
    const options = { workspace, git, clock, signal, version: version(), lockWaitMs: COMPLETION_LOCK_WAIT_MS }
    const { runs } = await outlineRuns(openRunContext(options))
    const newest = runs.toReversed()
    const own = newest.filter(({ workspace_foreign }) => workspace_foreign !== true)
    const foreign = newest.filter(({ workspace_foreign }) => workspace_foreign === true)
    return [...own, ...foreign].map(({ id }) => id).slice(0, MAX_SUGGESTIONS)
  } catch {
    return []
  }
}
