import { installFailed, invalidAdapterSurface } from '../../hosts/faults.ts'
import { SURFACES, type Surface } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/hosts.ts'
import { planInstall } from '../../hosts/plan/plan-install.ts'
import { detectedHosts, namedHosts } from '../../hosts/plan/select-hosts.ts'
import type { Run } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { changeAndReport, type HostChange, namedTools } from './host-change.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const found = await command.findWorkspace()
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
  })

function readSurface(given: string | undefined): Surface | undefined {
  if (given === undefined) return undefined
  const surface = SURFACES.find((each) => each === given)
  if (surface !== undefined) return surface
  throw invalidAdapterSurface({ problem: `--surface must be ${SURFACES.join(' or ')}, not ${JSON.stringify(given)}` })
}
