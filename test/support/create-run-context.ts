import { systemClock } from '../../src/kit/clock.ts'
import { openRunContext, type RunContext, type RunContextOptions } from '../../src/runs/run-context.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { PLAIN_ENV } from './git-repository.ts'
import { createRepository } from './temporary-repository.ts'

/** A run context in a temporary repository, or in the given one. */
export async function createRunContext(
  { root }: { root: string } = createRepository(),
  options: Partial<RunContextOptions> = {},
): Promise<RunContext> {
  const git = locateGit({ env: PLAIN_ENV, cwd: root })
  const { signal } = new AbortController()
  const workspace = await discoverWorkspace({ start: root, git, signal })
  return openRunContext({ workspace, git, clock: systemClock, signal, version: '0.0.0', ...options })
}

/** The context without a git program. */
export function withoutGit(context: RunContext): RunContext {
  return { ...context, git: { ...context.git, program: undefined } }
}
