import { parseActionId, parseSectionKey } from '../../runs/parse-ids.ts'
import { readActionMaterial } from '../../runs/read-material.ts'
import type { Run } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { toJsonLine } from './print-change.ts'
import { readRunId } from './read-flags.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const runId = await readRunId(command, flags.text('run'), 'inspect-runs')
    const actionId = parseActionId(flags.text('action'))
    const key = parseSectionKey(flags.text('section'))
    const material = await readActionMaterial(await openRuns(command, runtime), { runId, actionId, key })
    await runtime.terminal.out.write(toJsonLine(material))
    return 0
  })
