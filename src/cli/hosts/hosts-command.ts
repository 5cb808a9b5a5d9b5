import { checkListReport } from '../../contract/host-reports.ts'
import { listHosts } from '../../hosts/list/list-hosts.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { formatHosts } from './host-text.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const { workspace } = await command.findWorkspace()
    const report = checkListReport(await listHosts(workspace))
    const { out } = runtime.terminal
    await out.write(flags.isOn('json') ? `${writeJson(report)}\n` : formatHosts(report, out))
    return 0
  })
