import { CONTRACT_VERSION } from '../../contract/limits.ts'
import type { ListReport } from '../../contract/reports.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { CAPABILITY_NAMES, type CapabilityName } from '../capabilities.ts'
import { inspectChanges, type UnfinishedChanges } from '../change/recover-changes.ts'
import { listFailed } from '../faults.ts'
import type { FoundDirectories, FoundFiles } from '../found-files.ts'
import type { Host } from '../host.ts'
import { HOSTS } from '../hosts.ts'
import { convertedFiles, describeConverted, type Installed, inspectHost, isDetected } from '../inspect-host.ts'
import { readHosts } from '../read-hosts.ts'
import { openWorktree, realTreeDisk } from '../worktree.ts'

/** Lists every host; a problem with one host becomes its warning. Writes nothing and does not wait for the lock. */
export async function listHosts(workspace: WorkspaceIdentity): Promise<ListReport> {
  const root = workspace.worktree_root
  try {
    using tree = openWorktree(root, realTreeDisk)
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

type HostStatus = ListReport['hosts'][number]

/** The status of a host in a list report. A problem becomes a warning, so that the other hosts are still listed. */
export function toHostStatus(
  host: Host,
  found: { readonly files: FoundFiles; readonly directories: FoundDirectories },
): HostStatus {
  const inspection = inspectHost(host, found.files)
  const status = { id: host.id, detected: isDetected(host, found.directories) }
  const notInstalled = { ...status, installed: false, needs_refresh: false, capabilities: [] }
  switch (inspection.is) {
    case 'absent':
      return { ...notInstalled, ...(inspection.blocked !== undefined && { warning: inspection.blocked }) }
    case 'marker_only':
      return notInstalled
    case 'unreadable':
      return { ...notInstalled, warning: `its ownership manifest cannot be read: ${inspection.problem}` }
    case 'installed':
      return { ...status, installed: true, ...toState(inspection, convertedFiles(host, inspection, found.files)) }
  }
}

function toState(
  { files, sentinel, blocked }: Installed,
  converted: readonly string[],
): Pick<HostStatus, 'needs_refresh' | 'capabilities' | 'warning'> {
  if (blocked !== undefined) return { needs_refresh: false, capabilities: [], warning: blocked }
  const unwell = files.filter(({ status }) => status !== 'pristine')
  const stale = files.filter(({ status }) => status === 'stale').length
  const warnings = [
    ...(stale > 0 ? [describeStaleClaims(stale)] : []),
    ...(converted.length > 0 ? [`${describeConverted(converted)}; "drover doctor" says how to prevent that`] : []),
  ]
  const isWhole = (name: CapabilityName) => !unwell.some(({ file }) => file?.capability === name)
  return {
    needs_refresh: unwell.length > 0 || sentinel !== 'whole',
    capabilities: CAPABILITY_NAMES.filter(isWhole),
    ...(warnings.length > 0 && { warning: warnings.join('; ') }),
  }
}

function describeStaleClaims(count: number): string {
  const claims = count === 1 ? '1 file is' : `${count} files are`
  return `${claims} claimed with content that no release of drover up to this one generated`
}
