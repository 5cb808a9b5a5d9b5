import { checkListReport } from '../../contract/list-report.ts'
import { listHosts } from '../../hosts/list-hosts.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { Run } from '../command.ts'
import { atHosts } from './host-desk.ts'
import { sayHosts } from './host-text.ts'

export const run: Run = (invocation) =>
  atHosts(invocation, async ({ workspace }) => {
    const { flags, runtime } = invocation
    const report = checkListReport(await listHosts(workspace))
    const { out } = runtime.terminal
    await out.write(flags.isOn('json') ? `${writeJson(report)}\n` : sayHosts(report, out))
    return 0
  })
