/** Changes the hosts of a repository, one process at a time: read the files, plan, apply. */
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
import { withChangeLock } from './change-lock.ts'
import type { ChangeContext } from './end-change.ts'
import { inspectChanges } from './inspect-changes.ts'
import { recoverChanges } from './recover-changes.ts'

/** How the change is planned. */
export type HostDecision = {
  /** The hosts whose files `decide` needs. */
  hosts: readonly Host[]
  decide: (found: FoundHosts) => Plan
}

export type HostsRequest = HostDecision & {
  workspace: WorkspaceIdentity
  /** The fault to throw if the change fails. */
  fail: typeof installFailed | typeof uninstallFailed
  signal: AbortSignal
  disk?: TreeDisk
}

/** The plan was carried out if the report says committed. */
export type HostChangeResult = { plan: Plan; report: ChangeReport }

export function changeHosts(request: HostsRequest): Promise<HostChangeResult> {
  const { workspace, signal, disk = realTreeDisk } = request
  return withFailureCode(request, () =>
    withChangeLock({ workspace, signal, disk }, (context) => changeInContext(context, request)),
  )
}

/** For a dry run: plans the change and applies nothing. */
export function planChange(request: HostsRequest): Promise<Plan> {
  const { workspace, hosts, decide, disk = realTreeDisk } = request
  return withFailureCode(request, async () => {
    using tree = openWorktree(workspace.worktree_root, disk)
    const plan = decide(readHosts(hosts, tree))
    const { left, isRunning } = await inspectChanges(workspace, tree)
    return isRunning ? plan : { ...plan, warnings: [...plan.warnings, ...left.map(({ text }) => text)] }
  })
}

/** Reports every failure under the code of the command: `install_failed` or `uninstall_failed`. */
async function withFailureCode<T>({ fail, signal }: HostsRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem = describeProblem(error, signal)
    if (problem === undefined || (error instanceof Fault && error.code === fail.code)) throw error
    throw fail({ problem, report: toChangeReport(NOTHING, { outcome: 'not_committed' }) }, error)
  }
}

function changeInContext(context: ChangeContext, { hosts, decide, fail }: HostsRequest): HostChangeResult {
  const { obstacles, warnings, artifacts } = recoverChanges(context)
  if (obstacles.length > 0) {
    const ending = { outcome: 'not_committed', recoveryArtifacts: artifacts, warnings: obstacles } as const
    const report = toChangeReport(NOTHING, ending)
    throw fail({ problem: `an earlier change is not finished: ${obstacles.join('; ')}`, report })
  }
  const decided = decide(readHosts(hosts, context.tree))
  const plan = { ...decided, warnings: [...decided.warnings, ...warnings] }
  if (plan.steps.length === 0) {
    return { plan, report: toChangeReport(plan, { outcome: 'committed', recoveryArtifacts: artifacts }) }
  }
  const { problem, ...ending } = applyChange(plan, { ...context, id: randomIds.hex(16) })
  const recoveryArtifacts = [...artifacts, ...(ending.recoveryArtifacts ?? [])]
  const report = toChangeReport(plan, { ...ending, recoveryArtifacts })
  if (problem !== undefined) throw fail({ problem, report })
  return { plan, report }
}

/** Returns undefined for usage errors and bugs: they are not failures of the change. */
function describeProblem(error: unknown, signal: AbortSignal): string | undefined {
  // The signal only ends the wait for the lock: a change that has started is not interrupted.
  if (signal.aborted && error === signal.reason) return 'it was interrupted before it started'
  if (!(error instanceof Fault) || error.kind === 'usage') return undefined
  return error.code === lockBusy.code
    ? 'another process is changing the hosts of this repository; run the command again when that process is done'
    : error.message
}
