/** Tells the user what agents do not see, because they work in a new worktree of the last commit. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../../drive/record/drive-event.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { askGit, type Git } from '../../workspace/git.ts'
import type { Channel } from '../terminal.ts'

type Around = { git: Git; signal: AbortSignal; err: Channel }

export async function noteUnseenWork(place: Place, { git, signal, err }: Around): Promise<void> {
  if (place.kind !== 'worktree') return
  if (await hasChanges(place.repository, { git, signal })) {
    await err.write(
      'drover: note: the agents work from the last commit and do not see your uncommitted changes; --in-place works with them\n',
    )
  }
  if (existsSync(join(place.root, '.gitmodules'))) {
    await err.write('drover: note: submodules are empty in the worktree of the agents; --in-place works with yours\n')
  }
}

/** A failure is not reported: the run is started already, and only the note would be missing. */
async function hasChanges(directory: string, { git, signal }: Omit<Around, 'err'>): Promise<boolean> {
  const args = ['status', '--porcelain', '--ignore-submodules=dirty'] as const
  try {
    return (await askGit(git, { directory, args, signal })).stdout.length > 0
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}
