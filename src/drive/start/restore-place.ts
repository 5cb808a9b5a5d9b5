/** Checks the branch of a run out again, where its worktree was before it was removed. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readRunHeader } from '../../journal/read-run.ts'
import { randomIds } from '../../kit/ids.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { restoreWorktree } from '../../workspace/worktrees/create-worktree.ts'
import { forgetWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { Place } from '../record/drive-event.shape.ts'

type PlacedRun = { readonly run_id: string; readonly place: Place }

/** `worktrees` is their directory. A process that was killed may have begun it. */
export async function restorePlace(
  context: RunContext,
  worktrees: string,
  { run_id, place }: PlacedRun,
): Promise<void> {
  if (place.kind !== 'worktree' || existsSync(place.root)) return
  const { git, clock, signal, workspace: repository } = context
  const begun = { path: place.root, directory: dirname(place.root), git_common_dir: repository.git_common_dir }
  if (existsSync(begun.directory)) await forgetWorktree({ git, signal, worktree: begun })
  const wanted = { home: worktrees, repository, commit: place.base, title: '', git, clock, ids: randomIds, signal }
  await restoreWorktree(wanted, place.branch, readRunHeader(context.store, run_id).workspace_identity.git_dir)
}
