import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lacksLogin } from '../../agents/locate-agents.ts'
import type { Place } from '../../drive/record/drive-event.shape.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import { ignoreFault } from '../../kit/fault.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { askGit, type Git } from '../../workspace/git.ts'
import type { Channel } from '../terminal.ts'

/** Tells a person at the terminal that an agent of a new run seems to have no login: the run would pause, perhaps hours later. */
export async function noteMissingLogins(
  { options, is_reviewed: isReviewed }: Pick<DriveState, 'options' | 'is_reviewed'>,
  { prompts, err }: { readonly prompts: Pick<PromptContext, 'locate' | 'env'>; readonly err: Channel },
): Promise<void> {
  const agents = new Set([options.backend, ...(isReviewed === false ? [] : [options.review_backend])])
  for (const backend of agents) {
    const located = prompts.locate(backend)
    if (located === undefined || !lacksLogin(located, prompts.env)) continue
    const { login } = located.agent
    await err.write(`drover: warning: ${backend} has no login that drover can see; to log in, ${login}\n`)
  }
}

type Reading = { git: Git; signal: AbortSignal; err: Channel }

/** Tells the user what agents do not see, because they work in a new worktree of the last commit. */
export async function noteUnseenWork(place: Place, { git, signal, err }: Reading): Promise<void> {
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
async function hasChanges(directory: string, { git, signal }: Omit<Reading, 'err'>): Promise<boolean> {
  const args = ['status', '--porcelain', '--ignore-submodules=dirty'] as const
  const listed = await askGit(git, { directory, args, signal }).catch(ignoreFault)
  return listed !== undefined && listed.stdout.length > 0
}
