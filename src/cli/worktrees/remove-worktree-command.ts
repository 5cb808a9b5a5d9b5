import { Fault } from '../../kit/fault.ts'
import { type Git, locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import { dropWorktree } from '../../workspace/worktrees/drop-worktree.ts'
import { describeKeepReason } from '../../workspace/worktrees/inspect-worktree.ts'
import { discardWorktree, removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { RunCommand } from '../command.ts'
import { worktreeNotFound } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths } from '../settings.ts'
import { readWorktreeState } from './worktree-state.ts'

type Removed = { name: string; branch?: string; commit?: string }
type Kept = { name: string; path: string; reason: string }
type Options = { git: Git; signal: AbortSignal; isForced: boolean }

export const run: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out, err } = runtime.terminal
  using interruption = listenForInterruption()
  const all = listWorktrees(findUserPaths(invocation).worktrees)
  // All names first, so that a mistyped one removes nothing.
  const chosen = [...new Set(args.map((name) => findByName(all, name)))]
  const options = { git: locateGit(runtime), signal: interruption.signal, isForced: flags.isOn('discard') }
  const report: { removed: Removed[]; kept: Kept[] } = { removed: [], kept: [] }
  for (const worktree of chosen) {
    const result = await removeOne(worktree, options)
    if ('reason' in result) report.kept.push(result)
    else report.removed.push(result)
  }
  if (flags.isOn('json')) await out.write(`${JSON.stringify(report, null, 2)}\n`)
  else {
    await out.write(report.removed.map(formatRemoved).join(''))
    await err.write(report.kept.map(formatKept).join(''))
  }
  return report.kept.length === 0 ? 0 : 1
}

/** The worktree with this name, or the only one whose name begins with it. Pure. */
export function findByName<W extends { name: string }>(worktrees: readonly W[], given: string): W {
  const exact = worktrees.find(({ name }) => name === given)
  const candidates = exact === undefined ? worktrees.filter(({ name }) => name.startsWith(given)) : [exact]
  const [only, ...others] = candidates
  if (only !== undefined && others.length === 0 && given !== '') return only
  throw worktreeNotFound({ given, candidates: candidates.map(({ name }) => name) })
}

export async function removeOne(worktree: FoundWorktree, options: Options): Promise<Removed | Kept> {
  const { name, path } = worktree
  try {
    return await tryToRemove(worktree, options)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { name, path, reason: error.message }
  }
}

/** If the repository or the directory is gone, there is nothing that could be lost. */
async function tryToRemove(worktree: FoundWorktree, { git, signal, isForced }: Options): Promise<Removed | Kept> {
  const { name, path } = worktree
  if ((await readWorktreeState(worktree, git, signal)) === 'repository_missing') {
    await discardWorktree({ git, worktree, signal })
    return { name }
  }
  if (isForced) return { name, ...(await dropWorktree(worktree, { git, signal })) }
  const removal = await removeWorktree({ git, worktree, signal })
  if (removal.is === 'kept') return { name, path, reason: describeKeepReason(removal.reason) }
  return { name, ...(removal.branch !== undefined && { branch: removal.branch }) }
}

function formatRemoved({ name, branch, commit }: Removed): string {
  if (commit !== undefined) return `Removed ${name}. To get it back: git branch NAME ${commit.slice(0, 12)}\n`
  return branch === undefined ? `Removed ${name}.\n` : `Removed ${name}. Its work is on the branch ${branch}.\n`
}

function formatKept({ name, path, reason }: Kept): string {
  return `drover: ${name} was kept: ${toMessage(reason)} (${toMessage(path)}); --discard removes it in any case\n`
}
