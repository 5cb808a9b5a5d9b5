import { uninstallFailed } from '../../hosts/faults.ts'
import { HOSTS } from '../../hosts/hosts.ts'
import { planUninstall } from '../../hosts/plan/plan-uninstall.ts'
import { installedHosts, namedHosts } from '../../hosts/plan/select-hosts.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { changeAndReport, type HostChange, namedTools } from './host-change.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const found = await command.findWorkspace()
    const tools = namedTools(invocation)
    const named = tools && namedHosts(tools)
    const change: HostChange = {
      verb: 'Uninstall',
      fail: uninstallFailed,
      hosts: named ?? HOSTS,
      decide: ({ files }) => planUninstall({ hosts: named ?? installedHosts(files), found: files }),
    }
    return await changeAndReport(change, found, invocation)
  })
