import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { inspectChanges, type Unended } from '../../hosts/change/inspect-changes.ts'
import { readHosts } from '../../hosts/read-hosts.ts'
import { HOSTS } from '../../hosts/registry.ts'
import { realTreeDisk } from '../../hosts/tree-disk.ts'
import { openWorktree } from '../../hosts/worktree.ts'
import { defineCheck, type Finding } from './check.ts'
import { judgeHost } from './judge-host.ts'

export const installSettled = defineCheck({
  code: 'install_settled',
  group: 'Hosts',
  name: 'interrupted installs',
  status: 'ok',
  means: 'Every install and uninstall has ended, or is under way at this moment.',
})

export const installInterrupted = defineCheck({
  code: 'install_interrupted',
  group: 'Hosts',
  name: 'interrupted installs',
  status: 'error',
  means: 'An install or uninstall was cut off. What the files were before is in a `.drover-recovery-…` folder.',
  todo: 'run drover doctor --clear-interrupted',
})

export async function checkHosts(workspace: WorkspaceIdentity): Promise<Finding[]> {
  using tree = openWorktree(workspace.worktree_root, realTreeDisk)
  const found = readHosts(HOSTS, tree)
  return [...HOSTS.map((host) => judgeHost(host, found)), ...judgeChanges(await inspectChanges(workspace, tree))]
}

/** What no record tells of, drover does not clear away: a person has to look at it. */
function judgeChanges({ left, isUnderWay }: Unended): Finding[] {
  if (isUnderWay) return [installSettled({ detail: 'another process is changing hosts at this moment' })]
  if (left.length === 0) return [installSettled({ detail: 'no install was interrupted' })]
  return left.map(({ hosts, says }) => {
    const [host, ...others] = hosts
    const about = { detail: says, host: others.length === 0 ? host : undefined }
    return installInterrupted(host === undefined ? { ...about, todo: undefined } : about)
  })
}
