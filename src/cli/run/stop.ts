import { onlyStoppable, stopRun } from '../../runs/operations.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { outlineRuns } from '../../runs/run-status.ts'
import type { Run } from '../command.ts'
import { offer } from '../remedies.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printChange, printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'
import { formatStopped } from './run-text.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const { out } = runtime.terminal
    const [given] = args
    const typed = given === undefined ? undefined : await readRunId(command, given, 'list-runs')
    const context = await openRuns(command, runtime)
    command.runId = typed === undefined ? await findStoppable(command, context) : completeRunId(command, context, typed)
    const state = await stopRun(context, command.runId)
    await (flags.isOn('json') ? printState(out, state) : printChange(out, formatStopped(state)))
    return 0
  })

/** The only run that can be stopped. Without exactly one, the failure offers the list of runs. */
async function findStoppable(command: WorkspaceCommand, context: RunContext): Promise<string> {
  return await command.suggesting({ next: (workspace) => offer('list-runs', workspace) }, async () =>
    onlyStoppable(await outlineRuns(context)),
  )
}
