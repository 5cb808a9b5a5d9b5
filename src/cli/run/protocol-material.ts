import { toActionId, toRunId, toSectionKey } from '../../runs/named-parts.ts'
import { readActionMaterial } from '../../runs/read-material.ts'
import type { Run } from '../command.ts'
import { inspectRuns } from './run-advice.ts'
import { atDesk } from './run-desk.ts'
import { asLine } from './tell-change.ts'

export const run: Run = (invocation) =>
  atDesk(invocation, async (desk) => {
    const { flags, runtime } = invocation
    const runId = await desk.expecting({ next: inspectRuns }, () => toRunId(flags.text('run')))
    desk.runId = runId
    const actionId = toActionId(flags.text('action'))
    const key = toSectionKey(flags.text('section'))
    const material = await readActionMaterial(await desk.open(), { runId, actionId, key })
    await runtime.terminal.out.write(asLine(material))
    return 0
  })
