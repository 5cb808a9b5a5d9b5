import type { FoundDrive } from '../../drive/start/start-drive.ts'

/** A worktree of the repository that stays when the run is delivered. */
export function lastingWorktree({ begin, context }: Pick<FoundDrive, 'begin' | 'context'>): string {
  return begin.place.kind === 'worktree' ? begin.place.repository : context.workspace.worktree_root
}
