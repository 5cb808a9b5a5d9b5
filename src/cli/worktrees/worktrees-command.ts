import { existsSync } from 'node:fs'
import { findPaths } from '../../config/paths.ts'
import { Fault, orUndefined } from '../../kit/fault.ts'
import { comparisonRunning } from '../../service/faults.ts'
import { type Git, locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, isInUse, listWorktrees } from '../../workspace/worktree-records.ts'
import {
  describeKeepReason,
  findKeepReason,
  inspectWorktree,
  type KeepReason,
} from '../../workspace/worktrees/inspect-worktree.ts'
import { discardWorktree, dropWorktree, removeWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import { toShortId } from '../batch/comparison-text.ts'
import type { RunCommand, Runtime } from '../command.ts'
import { worktreeNotFound } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { formatAge } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { formatTableWithNotes } from '../output/text-table.ts'
import { findUserPaths } from '../settings.ts'

type Listed = { worktree: FoundWorktree; state: WorktreeState }

export const list: RunCommand = async (invocation) => {
  const { runtime } = invocation
  using interruption = listenForInterruption()
  const git = locateGit(runtime)
  const listed: Listed[] = []
  for (const worktree of listWorktrees(findUserPaths(invocation).worktrees)) {
    listed.push({ worktree, state: await readWorktreeState(worktree, git, interruption.signal) })
  }
  return await printResult(invocation, { worktrees: listed.map(toReport) }, (out) => {
    const rows = listed.map((each) => toRow(each, runtime.clock.now()))
    return rows.length === 0
      ? 'No worktrees found.\n'
      : `${formatTableWithNotes(['NAME', 'CREATED', 'STATE'], rows, out).join('\n')}\n`
  })
}

function toRow({ worktree, state }: Listed, now: Date) {
  const { name, created_at, path, group, label } = worktree
  const of = group === undefined ? '' : `${label} of the comparison ${toShortId(group)}: `
  return { cells: [name, formatAge(created_at, now), describeState(state)], note: `${of}${path}` }
}

function toReport({ worktree, state }: Listed) {
  const { name, state: _, path, branch, base, repository, title, group, label, created_at } = { ...worktree, state }
  return { name, state, path, branch, base, repository, title, group, label, created_at }
}

type Removed = { name: string; branch?: string; commit?: string }
type Kept = { name: string; path: string; reason: string }
type Options = { git: Git; signal: AbortSignal; isForced: boolean }

export const remove: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out, err } = runtime.terminal
  using interruption = listenForInterruption()
  const all = listWorktrees(findUserPaths(invocation).worktrees)
  // All of them first, so that a mistyped name removes nothing.
  const chosen = [...new Set(args.map((name) => findByName(all, name)))]
  for (const each of chosen) if (await isInUse(each)) throw comparisonRunning({ id: each.group ?? each.name })
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
    await err.write(report.kept.map((each) => formatKept(each, options)).join(''))
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

function formatKept({ name, path, reason }: Kept, { isForced }: Pick<Options, 'isForced'>): string {
  const remedy = isForced ? '' : '; --discard removes it in any case'
  return `drover: ${name} was kept: ${toMessage(reason)} (${toMessage(path)})${remedy}\n`
}

type WorktreeState = 'removable' | 'in_use' | 'directory_missing' | 'repository_missing' | 'unknown' | KeepReason

/** What would be lost with a worktree. */
export async function readWorktreeState(
  worktree: FoundWorktree,
  git: Git,
  signal: AbortSignal,
): Promise<WorktreeState> {
  if (!existsSync(worktree.git_common_dir)) return 'repository_missing'
  if (await isInUse(worktree)) return 'in_use'
  if (worktree.isMissing) return 'directory_missing'
  try {
    return findKeepReason(await inspectWorktree({ git, worktree, signal })) ?? 'removable'
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error
    return 'unknown'
  }
}

const TEXTS: Partial<Record<WorktreeState, string>> = {
  removable: 'nothing would be lost',
  in_use: 'a comparison is running in it',
  directory_missing: 'its directory was deleted',
  repository_missing: 'its repository is gone',
  unknown: 'git cannot read it',
}

export function describeState(state: WorktreeState): string {
  return TEXTS[state] ?? describeKeepReason(state as KeepReason)
}

/** For completion: the names of the worktrees. An error gives an empty list. */
export async function suggestWorktrees({ env, homeDirectory, cwd }: Runtime): Promise<readonly string[]> {
  const list = () => listWorktrees(findPaths({ env, homeDirectory, cwd }).worktrees)
  return (orUndefined(list) ?? []).map(({ name }) => name)
}
