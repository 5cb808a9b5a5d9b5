import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { openRunStore, type RunStore } from '../journal/run-store.ts'
import type { Clock } from '../kit/clock.ts'
import { type Ids, randomIds } from '../kit/ids.ts'
import type { Git } from '../workspace/git.ts'

/** Where runs are worked on: a worktree, the runs of its repository, and where facts come from. */
export type RunContext = {
  readonly workspace: WorkspaceIdentity
  readonly store: RunStore
  readonly git: Git
  readonly clock: Clock
  readonly ids: Ids
  readonly signal: AbortSignal
}

export type RunContextOptions = Omit<RunContext, 'store' | 'ids'> & {
  /** Of drover, for who does not mean to read every journal. */
  readonly version?: string
  readonly ids?: Ids
  readonly lockWaitMs?: number
}

/** Looks at nothing yet and creates nothing. */
export function openRunContext({ ids = randomIds, lockWaitMs, version, ...context }: RunContextOptions): RunContext {
  const { git_common_dir: gitCommonDir } = context.workspace
  const waiting = { signal: context.signal, ...(lockWaitMs !== undefined && { lockWaitMs }) }
  const store = openRunStore({ gitCommonDir, version, ...waiting })
  return { ...context, ids, store }
}
