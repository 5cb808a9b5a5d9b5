import { parseActionId, parseSectionKey } from '../../runs/parse-ids.ts'
import { readActionMaterial } from '../../runs/read-material.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { toJsonLine } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'), 'inspect-runs')
    const actionId = parseActionId(flags.text('action'))
    const key = parseSectionKey(flags.text('section'))
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    const material = await readActionMaterial(context, { runId, actionId, key })
    await runtime.terminal.out.write(toJsonLine(material))
    return 0
  })
