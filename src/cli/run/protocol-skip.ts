import { skipAction } from '../../runs/operations.ts'
import { parseActionId } from '../../runs/parse-ids.ts'
import type { Run } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printState } from './print-change.ts'
import { readRunId } from './read-flags.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { flags, runtime } = invocation
    const runId = await readRunId(command, flags.text('run'))
    const actionId = parseActionId(flags.text('action'))
    await printState(runtime.terminal.out, await skipAction(await openRuns(command, runtime), runId, actionId))
    return 0
  })
