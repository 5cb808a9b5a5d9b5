import { Fault } from '../../kit/fault.ts'
import { isInDirectory } from '../../prompts/workdir-policy.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'

/** The root of the repository that the command is used in, if it is one. */
export async function findCurrentRepository(invocation: Invocation, signal: AbortSignal): Promise<string | undefined> {
  const { env, cwd } = invocation.runtime
  const { workdir: start = cwd } = requestFromFlags(invocation)
  try {
    return (await discoverWorkspace({ start, git: locateGit({ env, cwd }), signal })).worktree_root
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return undefined
  }
}

/** Also in a directory of it. */
export function isInRepository(path: string, root: string | undefined): boolean {
  return root !== undefined && isInDirectory(path, root)
}
