import { locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import type { RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { formatAge } from '../output/format-time.ts'
import { printResult } from '../output/print-result.ts'
import { formatTableWithNotes } from '../output/text-table.ts'
import { findUserPaths } from '../settings.ts'
import { describeState, readWorktreeState, type WorktreeState } from './worktree-state.ts'

type Listed = { worktree: FoundWorktree; state: WorktreeState }

export const run: RunCommand = async (invocation) => {
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
  const { name, created_at, path } = worktree
  return { cells: [name, formatAge(created_at, now), describeState(state)], note: path }
}

function toReport({ worktree, state }: Listed) {
  const { name, state: _, path, branch, base, repository, title, group, label, created_at } = { ...worktree, state }
  return { name, state, path, branch, base, repository, title, group, label, created_at }
}
