import type { Next } from '../../contract/next.shape.ts'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { installFailed, invalidAdapterSurface } from '../../hosts/faults.ts'
import { SURFACES, type Surface } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/hosts.ts'
import { planInstall } from '../../hosts/plan/plan-install.ts'
import { detectedHosts, namedHosts } from '../../hosts/plan/select-hosts.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { offer, type WorkspaceRef } from '../remedies.ts'
import { type FoundWorkspace, type Suggestion, withWorkspace } from '../workspace-command.ts'
import { changeAndReport, type HostChange, namedTools } from './host-change.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const found = await command.findWorkspace()
    const suggestion: Suggestion = { next: (workspace) => offerSurface(found.workspace, workspace) }
    return await command.suggesting(suggestion, () => install(invocation, found))
  })

async function install(invocation: Invocation, found: FoundWorkspace): Promise<number> {
  const { flags } = invocation
  const tools = namedTools(invocation)
  const named = tools && namedHosts(tools)
  const surface = readSurface(flags.text('surface'))
  const isRefresh = flags.isOn('refresh')
  const change: HostChange = {
    verb: 'Install',
    fail: installFailed,
    hosts: named ?? HOSTS,
    decide: ({ files, directories }) => {
      const hosts = named ?? detectedHosts(directories)
      return planInstall({ hosts, isExplicit: named !== undefined, surface, isRefresh, found: files })
    },
  }
  return await changeAndReport(change, found, invocation)
}

/** A surface can be chosen only before the host is installed. */
async function offerSurface(identity: WorkspaceIdentity, workspace: WorkspaceRef): Promise<Next> {
  const { listHosts } = await import('../../hosts/list/list-hosts.ts')
  const { hosts } = await listHosts(identity)
  const isInstalled = hosts.some(({ id, installed }) => id === 'kiro' && installed)
  return offer(isInstalled ? 'list-host-adapters' : 'install-kiro', workspace)
}

function readSurface(given: string | undefined): Surface | undefined {
  if (given === undefined) return undefined
  const surface = SURFACES.find((each) => each === given)
  if (surface !== undefined) return surface
  throw invalidAdapterSurface({ problem: `--surface must be ${SURFACES.join(' or ')}, not ${JSON.stringify(given)}` })
}
