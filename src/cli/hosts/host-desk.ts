/** What every command on hosts does around its own work: find the worktree, and advise on failures. */
import { resolve } from 'node:path'
import type { ChangeReport } from '../../contract/change-report.shape.ts'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import {
  hostAdapterRequired,
  installFailed,
  invalidAdapterSurface,
  listFailed,
  uninstallFailed,
  unknownHostAdapter,
} from '../../hosts/faults.ts'
import { digestUnavailableWorkspace } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { gitRepositoryUnavailable } from '../../workspace/faults.ts'
import { locateGit } from '../../workspace/git.ts'
import type { Invocation } from '../command.ts'
import { type Advice, AdvisedFailure } from '../failures/advised-failure.ts'
import { listenForInterruption } from '../interruption.ts'

/** The worktree that a command is about, or what stands in for it. */
type Place = { id: string; root: string }

export type HostsAt = { workspace: WorkspaceIdentity; signal: AbortSignal }

/** The variant to offer for each failure. */
const REMEDIES: Readonly<Record<string, string>> = {
  [unknownHostAdapter.code]: 'list-host-adapters',
  [hostAdapterRequired.code]: 'list-host-adapters',
  [invalidAdapterSurface.code]: 'install-kiro',
  [installFailed.code]: 'inspect-host-adapters',
  [uninstallFailed.code]: 'inspect-host-adapters',
  [listFailed.code]: 'retry-list',
  [gitRepositoryUnavailable.code]: 'retry-doctor',
}

/** Does the work of a command in the worktree that it is about, and sends what fails on its way with advice. */
export async function atHosts({ flags, runtime }: Invocation, work: (at: HostsAt) => Promise<number>): Promise<number> {
  const { env, cwd } = runtime
  const start = resolve(cwd, flags.text('root') ?? '')
  let place: Place = { id: digestUnavailableWorkspace(start.toWellFormed()), root: start }
  const { signal } = listenForInterruption()
  try {
    const workspace = await discoverWorkspace({ start, git: locateGit({ env, cwd }), signal })
    place = { id: workspace.id, root: workspace.worktree_root }
    return await work({ workspace, signal })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new AdvisedFailure(error, adviseOn(error, place))
  }
}

function adviseOn(fault: Fault, place: Place): Advice {
  const next = remedyOf(fault, place)
  const report = reportOf(fault)
  return {
    ...(next && { next }),
    ...(report && { details: { transaction_outcome: report.transaction_outcome, report } }),
  }
}

function remedyOf({ code }: Fault, place: Place): Next | undefined {
  const id = REMEDIES[code]
  if (id === undefined) return undefined
  return {
    operation: 'command',
    workspace_identity: place.id,
    variants: [makeVariant(id, { ROOT: place.root })],
  }
}

/** What a change that failed did, if that is what failed. */
export function reportOf(fault: Fault): ChangeReport | undefined {
  const isOfChange = [installFailed.code, uninstallFailed.code].includes(fault.code)
  return isOfChange ? (fault as ReturnType<typeof installFailed>).details.report : undefined
}
