/** Keeps the work of one agent of a comparison as a branch, and drops the others. */
import { Fault } from '../kit/fault.ts'
import type { KeepResult } from '../prompts/prompt-result.shape.ts'
import type { Git } from '../workspace/git.ts'
import type { FoundWorktree, Worktree } from '../workspace/worktree-records.ts'
import { commitAll, dropWorktree } from '../workspace/worktrees/drop-worktree.ts'
import { describeKeepReason } from '../workspace/worktrees/inspect-worktree.ts'
import { removeWorktree } from '../workspace/worktrees/remove-worktree.ts'
import { comparisonNotFound, nothingToKeep } from './faults.ts'

type Wanted = { gitCommonDir: string; name: string | undefined; keyId: string | undefined }

/** The worktrees of the caller's newest comparison in this repository, of which one has this name. Pure. */
export function findComparison(worktrees: readonly FoundWorktree[], { gitCommonDir, name, keyId }: Wanted) {
  const isHere = (each: FoundWorktree) => each.git_common_dir === gitCommonDir && each.key_id === keyId
  const here = worktrees.filter((each) => each.group !== undefined && isHere(each))
  const newest = here.findLast(({ label }) => name === undefined || label === name)
  if (newest !== undefined) return here.filter(({ group }) => group === newest.group)
  const last = here.at(-1)
  const known = here.filter(({ group }) => group === last?.group).map(({ label }) => label ?? '')
  throw comparisonNotFound({ name, known })
}

type Ended = { dropped: KeepResult['dropped'][number][]; left: KeepResult['left'][number][] }
type KeepOptions = { git: Git; name: string | undefined; signal: AbortSignal }

/** Keeps first: if that fails, nothing is dropped. */
export async function keepCompared(worktrees: readonly Worktree[], options: KeepOptions): Promise<KeepResult> {
  const ended: Ended = { dropped: [], left: [] }
  const chosen = options.name === undefined ? undefined : worktrees.find(({ label }) => label === options.name)
  if (options.name !== undefined && chosen === undefined) throw nothingToKeep({ name: options.name })
  const kept = chosen && (await keep(chosen, options, ended))
  for (const worktree of worktrees) if (worktree !== chosen) await drop(worktree, options, ended)
  return { ...(kept !== undefined && { kept }), ...ended }
}

async function keep(worktree: Worktree, options: KeepOptions, { left }: Ended): Promise<KeepResult['kept']> {
  const name = shownName(worktree)
  const { head } = await commitAll(worktree, options)
  if (head === worktree.base) throw nothingToKeep({ name })
  const removal = await removeWorktree({ ...options, worktree })
  if (removal.is === 'kept') left.push({ name, path: worktree.path, reason: describeKeepReason(removal.reason) })
  return { name, branch: worktree.branch, commit: head }
}

/** If the changes cannot be committed, the worktree stays. */
async function drop(worktree: Worktree, options: KeepOptions, { dropped, left }: Ended): Promise<void> {
  const name = shownName(worktree)
  try {
    dropped.push({ name, ...(await dropWorktree(worktree, options)) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    left.push({ name, path: worktree.path, reason: error.message })
  }
}

function shownName({ label, name }: Worktree): string {
  return label ?? name
}
