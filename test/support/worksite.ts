import { systemClock } from '../../src/kit/clock.ts'
import { openWorksite, type Worksite, type WorksiteOptions } from '../../src/runs/worksite.ts'
import { discoverWorkspace } from '../../src/workspace/discover-workspace.ts'
import { locateGit } from '../../src/workspace/git.ts'
import { createRepository, PLAIN_ENV } from './temporary-repository.ts'

/** A repository as the operations on runs see it; a new one unless a root is given. */
export async function openSite(
  { root }: { root: string } = createRepository(),
  options: Partial<WorksiteOptions> = {},
): Promise<Worksite> {
  const git = locateGit({ env: PLAIN_ENV, cwd: root })
  const { signal } = new AbortController()
  const workspace = await discoverWorkspace({ start: root, git, signal })
  return openWorksite({ workspace, git, clock: systemClock, signal, version: '0.0.0', ...options })
}

/** The same where nobody can ask git anything. */
export function withoutGit(site: Worksite): Worksite {
  return { ...site, git: { ...site.git, program: undefined } }
}
