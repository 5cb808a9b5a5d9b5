import { checkListReport } from '../../contract/list-report.ts'
import { listHosts } from '../../hosts/list-hosts.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Run } from '../command.ts'
import { atHosts } from '../hosts/host-desk.ts'
import { sayHosts } from '../hosts/host-text.ts'

export const run: Run = (invocation) =>
  atHosts(invocation, async ({ workspace }) => {
    const { flags, world } = invocation
    const report = checkListReport(await listHosts(workspace))
    const { out } = world.terminal
    await out.write(flags.isOn('json') ? `${writeJson(report)}\n` : sayHosts(report, out))
    return 0
  })
