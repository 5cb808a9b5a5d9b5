import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ListReport } from '../../contract/list-report.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { inspectChanges, type UnfinishedChanges } from '../change/inspect-changes.ts'
import { listFailed } from '../faults.ts'
import { HOSTS } from '../hosts.ts'
import { readHosts } from '../read-hosts.ts'
import { openWorktree, realTreeDisk, type TreeDisk } from '../worktree.ts'
import { toHostStatus } from './host-status.ts'

/** Lists every host; a problem with one host becomes its warning. Writes nothing and does not wait for the lock. */
export async function listHosts(workspace: WorkspaceIdentity, disk: TreeDisk = realTreeDisk): Promise<ListReport> {
  const root = workspace.worktree_root
  try {
    using tree = openWorktree(root, disk)
    const found = readHosts(HOSTS, tree)
    const unended = await inspectChanges(workspace, tree)
    const hosts = HOSTS.map((host) => {
      const status = toHostStatus(host, found)
      const warning = [status.warning, describeUnfinished(host.id, unended)]
        .filter((said) => said !== undefined)
        .join('; ')
      return warning === '' ? status : { ...status, warning }
    })
    return { contract_version: CONTRACT_VERSION, hosts }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw listFailed({ root, problem: error.message }, error)
  }
}

/** A change that another process is making was not left behind. */
function describeUnfinished(id: string, { left, isRunning }: UnfinishedChanges): string | undefined {
  const about = left.filter(({ hosts }) => hosts.includes(id))
  if (about.length === 0) return undefined
  return isRunning
    ? 'another process is changing it; list again when that process is done'
    : about.map(({ text }) => text).join('; ')
}
