import type { GitFacts } from '../engine/facts.ts'
import { Fault } from '../kit/fault.ts'
import { observeGit } from '../workspace/observe-git.ts'
import type { RunContext } from './run-context.ts'

/** What git says of the worktree now. That it says nothing is a fact too; that drover was interrupted is none. */
export async function observeWorkspace({ workspace, git, signal }: RunContext): Promise<GitFacts> {
  try {
    return { is: 'observed', git: await observeGit({ start: workspace.worktree_root, isRoot: true, git, signal }) }
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return { is: 'unavailable', problem: error.message }
  }
}
