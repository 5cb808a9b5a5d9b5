import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { openRunStore, type RunStore } from '../journal/run-store.ts'
import type { Clock } from '../kit/clock.ts'
import { type Ids, randomIds } from '../kit/ids.ts'
import type { Git } from '../workspace/git.ts'

/** Where runs are worked on: a worktree, the runs of its repository, and where facts come from. */
export type Worksite = {
  readonly workspace: WorkspaceIdentity
  readonly store: RunStore
  readonly git: Git
  readonly clock: Clock
  readonly ids: Ids
  readonly signal: AbortSignal
}

export type WorksiteOptions = Omit<Worksite, 'store' | 'ids'> & {
  /** Of drover, for who does not mean to read every journal. */
  readonly version?: string
  readonly ids?: Ids
  readonly lockWaitMs?: number
}

/** Looks at nothing yet and creates nothing. */
export function openWorksite({ ids = randomIds, lockWaitMs, version, ...site }: WorksiteOptions): Worksite {
  const { git_common_dir: gitCommonDir } = site.workspace
  const waiting = { signal: site.signal, ...(lockWaitMs !== undefined && { lockWaitMs }) }
  const store = openRunStore({ gitCommonDir, version, ...waiting })
  return { ...site, ids, store }
}
