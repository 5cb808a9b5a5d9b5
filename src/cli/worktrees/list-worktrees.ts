import { locateGit } from '../../workspace/git.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktrees/worktree-records.ts'
import type { RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { formatAge } from '../output/format-time.ts'
import { formatTableWithNotes } from '../output/table-with-notes.ts'
import { findUserPaths } from '../settings.ts'
import { describeState, readWorktreeState, type WorktreeState } from './worktree-state.ts'

type Listed = { worktree: FoundWorktree; state: WorktreeState }

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  using interruption = listenForInterruption()
  const git = locateGit(runtime)
  const listed: Listed[] = []
  for (const worktree of listWorktrees(findUserPaths(invocation).worktrees)) {
    listed.push({ worktree, state: await readWorktreeState(worktree, git, interruption.signal) })
  }
  if (flags.isOn('json')) await out.write(`${JSON.stringify({ worktrees: listed.map(toReport) }, null, 2)}\n`)
  else if (listed.length === 0) await out.write('No worktrees found.\n')
  else {
    const rows = listed.map((each) => toRow(each, runtime.clock.now()))
    await out.write(`${formatTableWithNotes(['NAME', 'CREATED', 'STATE'], rows, out).join('\n')}\n`)
  }
  return 0
}

function toRow({ worktree, state }: Listed, now: Date) {
  const { name, created_at, path } = worktree
  return { cells: [name, formatAge(created_at, now), describeState(state)], note: path }
}

function toReport({ worktree, state }: Listed) {
  const { name, state: _, path, branch, base, repository, title, group, label, created_at } = { ...worktree, state }
  return { name, state, path, branch, base, repository, title, group, label, created_at }
}
