import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { openRunStore, type RunStore } from '../journal/run-store.ts'
import type { Clock } from '../kit/clock.ts'
import { type Ids, randomIds } from '../kit/ids.ts'
import type { Git } from '../workspace/git.ts'
import { runInterrupted } from './faults.ts'

/** What every operation on runs needs: the worktree, the runs of its repository, and the sources of facts. */
export type RunContext = {
  readonly workspace: WorkspaceIdentity
  readonly store: RunStore
  readonly git: Git
  readonly clock: Clock
  readonly ids: Ids
  readonly signal: AbortSignal
}

export type RunContextOptions = Omit<RunContext, 'store' | 'ids'> & {
  /** The version of drover, see `RunStore.version`. */
  readonly version?: string
  readonly ids?: Ids
  readonly lockWaitMs?: number
}

/** Reads and creates no files. */
export function openRunContext({ ids = randomIds, lockWaitMs, version, ...rest }: RunContextOptions): RunContext {
  const { git_common_dir: gitCommonDir } = rest.workspace
  const waiting = { signal: rest.signal, ...(lockWaitMs !== undefined && { lockWaitMs }) }
  const store = openRunStore({ gitCommonDir, version, ...waiting })
  return { ...rest, ids, store }
}

/** The same for an agent's worktree: the repository is found now, and then stays the same whatever the agent does to `.git`. */
export function withPinnedGit(context: RunContext): RunContext {
  return { ...context, git: { ...context.git, pinned: context.workspace } }
}

/** Reports an abort as `run_interrupted`. Work that throws the reason of the signal has changed nothing. */
export async function interruptible<T>({ signal }: RunContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw signal.aborted && error === signal.reason ? runInterrupted({}, error) : error
  }
}
