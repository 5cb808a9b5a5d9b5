import { onlyStoppable, stopRun } from '../../runs/operations.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { outlineRuns } from '../../runs/run-status.ts'
import { inWorktreeOf } from '../../runs/run-worktree.ts'
import type { Run } from '../command.ts'
import { offer } from '../remedies.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { printRunChange } from './person-run.ts'
import { printChange, printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'
import { formatStopped } from './run-text.ts'

export const run: Run = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const { out } = runtime.terminal
    const [given] = args
    const typed = given === undefined ? undefined : await readRunId(command, given, 'list-runs')
    const here = await openRuns(command, runtime)
    const runId = typed === undefined ? await findStoppable(command, here) : completeRunId(command, here, typed)
    command.runId = runId
    const isPerson = !flags.isOn('json') && out.isTty
    // A person at a terminal may stop a run from any worktree. Programs are told where it belongs, as the protocol says.
    const context = isPerson ? await inWorktreeOf(here, runId) : here
    const state = await stopRun(context, runId)
    if (flags.isOn('json')) await printState(out, state)
    else if (isPerson) await printRunChange(invocation, { context, runId }, 'Stopped. Its work so far is kept.')
    else await printChange(out, formatStopped(state))
    return 0
  })

/** The only run that can be stopped. Without exactly one, the failure offers the list of runs. */
async function findStoppable(command: WorkspaceCommand, context: RunContext): Promise<string> {
  return await command.suggesting({ next: (workspace) => offer('list-runs', workspace) }, async () =>
    onlyStoppable(await outlineRuns(context)),
  )
}
