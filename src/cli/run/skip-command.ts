import { skipAction } from '../../runs/operations.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { openPersonRun, printChangedRun } from './person-run.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, runtime } = invocation
    const asked = { given: args[0], intent: 'skip' as const }
    const { context, run } = await openPersonRun(command, await openRuns(command, runtime), asked)
    const state = await skipAction(context, run.id, run.current_action?.action_id ?? 'none')
    const sentence = `Skipped ${run.current_action?.kind ?? 'the action'}.`
    await printChangedRun(invocation, context, { state, sentence })
    return 0
  })
