import { skipAction } from '../../runs/operations.ts'
import type { RunCommand } from '../command.ts'
import { withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { openPersonRun, printRunChange } from './person-run.ts'
import { printState } from './print-change.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const { context, run } = await openPersonRun(command, await openRuns(command, runtime), {
      given: args[0],
      intent: 'skip',
    })
    const state = await skipAction(context, run.id, run.current_action?.action_id ?? 'none')
    if (flags.isOn('json')) await printState(runtime.terminal.out, state)
    else
      await printRunChange(
        invocation,
        { context, runId: run.id },
        `Skipped ${run.current_action?.kind ?? 'the action'}.`,
      )
    return 0
  })
