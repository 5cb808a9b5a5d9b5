import { skipAction } from '../../runs/operations.ts'
import { parseActionId } from '../../runs/parse-ids.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const typed = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    const context = await openRuns(command, runtime)
    const runId = completeRunId(command, context, typed)
    await printState(runtime.terminal.out, await skipAction(context, runId, actionId))
    return 0
  })
