import { uninstallFailed } from '../../hosts/faults.ts'
import { planUninstall } from '../../hosts/plan-uninstall.ts'
import { HOSTS } from '../../hosts/registry.ts'
import { installedHosts, namedHosts } from '../../hosts/select-hosts.ts'
import type { Run } from '../command.ts'
import { changeAndTell, type HostChange, namedTools } from './host-change.ts'
import { atHosts } from './host-desk.ts'

export const run: Run = (invocation) =>
  atHosts(invocation, async (at) => {
    const tools = namedTools(invocation)
    const named = tools && namedHosts(tools)
    const change: HostChange = {
      verb: 'Uninstall',
      fail: uninstallFailed,
      hosts: named ?? HOSTS,
      decide: ({ files }) => planUninstall({ hosts: named ?? installedHosts(files), found: files }),
    }
    return await changeAndTell(change, at, invocation)
  })
