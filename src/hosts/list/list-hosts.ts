import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ListReport } from '../../contract/list-report.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { inspectChanges, type Unended } from '../change/inspect-changes.ts'
import { listFailed } from '../faults.ts'
import { HOSTS } from '../hosts.ts'
import { readHosts } from '../read-hosts.ts'
import { openWorktree, realTreeDisk, type TreeDisk } from '../worktree.ts'
import { toHostStatus } from './host-status.ts'

/** Every host, whatever is wrong with one of them. Writes nothing and waits for nobody. */
export async function listHosts(workspace: WorkspaceIdentity, disk: TreeDisk = realTreeDisk): Promise<ListReport> {
  const root = workspace.worktree_root
  try {
    using tree = openWorktree(root, disk)
    const found = readHosts(HOSTS, tree)
    const unended = await inspectChanges(workspace, tree)
    const hosts = HOSTS.map((host) => {
      const status = toHostStatus(host, found)
      const warning = [status.warning, sayUnended(host.id, unended)].filter((said) => said !== undefined).join('; ')
      return warning === '' ? status : { ...status, warning }
    })
    return { contract_version: CONTRACT_VERSION, hosts }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw listFailed({ root, problem: error.message }, error)
  }
}

/** What a change in another process has not ended yet is not left behind. */
function sayUnended(id: string, { left, isUnderWay }: Unended): string | undefined {
  const about = left.filter(({ hosts }) => hosts.includes(id))
  if (about.length === 0) return undefined
  return isUnderWay ? 'a change is under way; list again when it is done' : about.map(({ says }) => says).join('; ')
}
