/** Keeps the work of one agent of a comparison as a branch, and drops the others. */
import { Fault } from '../../kit/fault.ts'
import { type Git, locateGit } from '../../workspace/git.ts'
import { describeKeepReason } from '../../workspace/worktrees/inspect-worktree.ts'
import { removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { type FoundWorktree, listWorktrees, type Worktree } from '../../workspace/worktrees/worktree-records.ts'
import type { Invocation } from '../command.ts'
import { comparisonNotFound, nothingToKeep } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { toMessage } from '../output/printable.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { pathsOf } from '../settings.ts'
import { commitAll, dropWorktree } from '../worktrees/drop-worktree.ts'
import { findComparedRepository } from './comparison-worktrees.ts'

/** What became of the worktrees. */
export type KeepResult = {
  kept?: { name: string; branch: string; commit: string }
  /** The commit is not on a branch any more, but git keeps it for a while. Without changes there is none. */
  dropped: { name: string; commit?: string }[]
  /** Worktrees that could not be removed, with the reason. */
  left: { name: string; path: string; reason: string }[]
}

/** The worktrees of the newest comparison in this repository, of which one has this name. Pure. */
export function findComparison(
  worktrees: readonly FoundWorktree[],
  { gitCommonDir, name }: { gitCommonDir: string; name: string | undefined },
): FoundWorktree[] {
  const here = worktrees.filter((each) => each.group !== undefined && each.git_common_dir === gitCommonDir)
  const newest = here.findLast(({ label }) => name === undefined || label === name)
  if (newest !== undefined) return here.filter(({ group }) => group === newest.group)
  const last = here.at(-1)
  const known = here.filter(({ group }) => group === last?.group).map(({ label }) => label ?? '')
  throw comparisonNotFound({ name, known })
}

/** `drover compare --keep NAME` and `--drop`, after a comparison. */
export async function keepAfterComparison(invocation: Invocation): Promise<number> {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { signal } = interruption
  const git = locateGit(runtime)
  const start = requestFromFlags(invocation).workdir ?? runtime.cwd
  const { git_common_dir: gitCommonDir } = await findComparedRepository({ start, git, signal })
  const name = flags.text('keep')
  const worktrees = findComparison(listWorktrees(pathsOf(invocation).worktrees), { gitCommonDir, name })
  const result = await keepContender(worktrees, { git, name, signal })
  await runtime.terminal.out.write(
    flags.isOn('json') ? `${JSON.stringify(result, null, 2)}\n` : formatKeepResult(result),
  )
  return result.left.length > 0 ? 1 : 0
}

type KeepOptions = { git: Git; name: string | undefined; signal: AbortSignal }

/** Keeps first: if that fails, nothing is dropped. */
export async function keepContender(worktrees: readonly Worktree[], options: KeepOptions): Promise<KeepResult> {
  const result: KeepResult = { dropped: [], left: [] }
  const chosen = options.name === undefined ? undefined : worktrees.find(({ label }) => label === options.name)
  if (options.name !== undefined && chosen === undefined) throw nothingToKeep({ name: options.name })
  if (chosen !== undefined) result.kept = await keep(chosen, options, result)
  for (const worktree of worktrees) if (worktree !== chosen) await drop(worktree, options, result)
  return result
}

async function keep(
  worktree: Worktree,
  options: KeepOptions,
  result: KeepResult,
): Promise<NonNullable<KeepResult['kept']>> {
  const name = nameOf(worktree)
  const { head } = await commitAll(worktree, options)
  if (head === worktree.base) throw nothingToKeep({ name })
  const removal = await removeWorktree({ ...options, worktree })
  if (removal.is === 'kept') result.left.push({ name, path: worktree.path, reason: describeKeepReason(removal.reason) })
  return { name, branch: worktree.branch, commit: head }
}

/** If the changes cannot be committed, the worktree stays. */
async function drop(worktree: Worktree, options: KeepOptions, result: KeepResult): Promise<void> {
  const name = nameOf(worktree)
  try {
    result.dropped.push({ name, ...(await dropWorktree(worktree, options)) })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    result.left.push({ name, path: worktree.path, reason: error.message })
  }
}

function nameOf({ label, name }: Worktree): string {
  return label ?? name
}

export function formatKeepResult({ kept, dropped, left }: KeepResult): string {
  const lines = [
    ...(kept === undefined ? [] : [`Kept ${kept.name} as the branch ${kept.branch} (${kept.commit.slice(0, 12)}).`]),
    ...dropped.map(({ name, commit: id }) => {
      return id === undefined
        ? `Dropped ${name}, which changed nothing.`
        : `Dropped ${name}. To get it back: git branch NAME ${id.slice(0, 12)}`
    }),
    ...left.map(({ name, path, reason }) => `Left ${name} in ${toMessage(path)}: ${toMessage(reason)}`),
  ]
  return `${lines.join('\n')}\n`
}
