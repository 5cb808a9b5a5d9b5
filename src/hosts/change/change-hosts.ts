/** Changes of hosts, one process at a time in a repository: look, decide, do. */
import type { ChangeReport } from '../../contract/change-report.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { lockBusy } from '../../kit/faults.ts'
import { randomIds } from '../../kit/ids.ts'
import type { installFailed, uninstallFailed } from '../faults.ts'
import type { Host } from '../host.ts'
import { NOTHING, type Plan, toChangeReport } from '../plan/plan.ts'
import { type FoundHosts, readHosts } from '../read-hosts.ts'
import { openWorktree, realTreeDisk, type TreeDisk } from '../worktree.ts'
import { applyChange } from './apply-change.ts'
import { whileNobodyElseChanges } from './change-lock.ts'
import type { Site } from './end-change.ts'
import { inspectChanges } from './inspect-changes.ts'
import { settleChanges } from './recover-changes.ts'

/** What is to be done, decided from what is there. */
export type Decision = {
  /** The hosts to look at. */
  hosts: readonly Host[]
  decide: (found: FoundHosts) => Plan
}

export type HostsRequest = Decision & {
  workspace: WorkspaceIdentity
  /** What a failure is called. */
  fail: typeof installFailed | typeof uninstallFailed
  signal: AbortSignal
  disk?: TreeDisk
}

/** The plan is what was done if the report says committed. */
export type Changed = { plan: Plan; report: ChangeReport }

export function changeHosts(request: HostsRequest): Promise<Changed> {
  const { workspace, signal, disk = realTreeDisk } = request
  return named(request, () => whileNobodyElseChanges({ workspace, signal, disk }, (site) => changeAt(site, request)))
}

/** What would be done; nothing is. */
export function planChange(request: HostsRequest): Promise<Plan> {
  const { workspace, hosts, decide, disk = realTreeDisk } = request
  return named(request, async () => {
    using tree = openWorktree(workspace.worktree_root, disk)
    const plan = decide(readHosts(hosts, tree))
    const { left, isUnderWay } = await inspectChanges(workspace, tree)
    return isUnderWay ? plan : { ...plan, warnings: [...plan.warnings, ...left.map(({ says }) => says)] }
  })
}

/** Whatever keeps a change from being made at all fails under the name of the change. */
async function named<T>({ fail, signal }: HostsRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem = sayProblem(error, signal)
    if (problem === undefined || (error instanceof Fault && error.code === fail.code)) throw error
    throw fail({ problem, report: toChangeReport(NOTHING, { outcome: 'not_committed' }) }, error)
  }
}

function changeAt(site: Site, { hosts, decide, fail }: HostsRequest): Changed {
  const { obstacles, warnings, artifacts } = settleChanges(site)
  if (obstacles.length > 0) {
    const ending = { outcome: 'not_committed', recoveryArtifacts: artifacts, warnings: obstacles } as const
    const report = toChangeReport(NOTHING, ending)
    throw fail({ problem: `an earlier change has not ended: ${obstacles.join('; ')}`, report })
  }
  const decided = decide(readHosts(hosts, site.tree))
  const plan = { ...decided, warnings: [...decided.warnings, ...warnings] }
  if (plan.steps.length === 0) {
    return { plan, report: toChangeReport(plan, { outcome: 'committed', recoveryArtifacts: artifacts }) }
  }
  const { problem, ...ending } = applyChange(plan, { ...site, id: randomIds.hex(16) })
  const recoveryArtifacts = [...artifacts, ...(ending.recoveryArtifacts ?? [])]
  const report = toChangeReport(plan, { ...ending, recoveryArtifacts })
  if (problem !== undefined) throw fail({ problem, report })
  return { plan, report }
}

/** Undefined for what is no failure of the change: the words were wrong, or there is a bug. */
function sayProblem(error: unknown, signal: AbortSignal): string | undefined {
  // Only while it waits for its turn: a change that has begun is not to be interrupted.
  if (signal.aborted && error === signal.reason) return 'it was interrupted before it had begun'
  if (!(error instanceof Fault) || error.kind === 'usage') return undefined
  return error.code === lockBusy.code
    ? 'another process is changing the hosts of this repository; run the command again when it is done'
    : error.message
}
