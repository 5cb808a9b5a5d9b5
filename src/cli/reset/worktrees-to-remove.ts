/** Which worktrees hold nothing: their branches have everything, and no run is open in them. */
import { Fault } from '../../kit/fault.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import { describeState, readWorktreeState } from '../worktrees/worktree-state.ts'
import { type Looking, outlineRunsAt } from './find-leftovers.ts'

/** `reason`: why it stays; undefined if it holds nothing. */
export type JudgedWorktree = { worktree: FoundWorktree; reason: string | undefined }

export async function judgeWorktrees(looking: Looking): Promise<JudgedWorktree[]> {
  const judged: JudgedWorktree[] = []
  for (const worktree of listWorktrees(looking.paths.worktrees)) {
    judged.push({ worktree, reason: await findReason(worktree, looking) })
  }
  return judged
}

async function findReason(worktree: FoundWorktree, looking: Looking): Promise<string | undefined> {
  if (worktree.isMissing) return undefined
  const state = await readWorktreeState(worktree, looking.git, looking.signal)
  // Without its repository no one knows what the files are.
  if (state !== 'removable') return describeState(state)
  const run = await findOpenRun(worktree, looking)
  return run && `the run ${run} has not ended`
}

/** A run that an agent, a person or a later drover may continue there. */
async function findOpenRun({ path }: FoundWorktree, looking: Looking): Promise<string | undefined> {
  try {
    const { runs } = await outlineRunsAt(path, looking)
    return runs.find((run) => run.workspace_foreign !== true && run.state !== 'ended')?.id
  } catch (error) {
    if (!(error instanceof Fault) || looking.signal.aborted) throw error
    return `that could not be read (${error.message})`
  }
}
