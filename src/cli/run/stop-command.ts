import { stopDriven } from '../../drive/stop-driven.ts'
import { onlyStoppable } from '../../runs/operations.ts'
import { outlineRuns } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { offer } from '../remedies.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { openPersonRun, printRunChange } from './person-run.ts'
import { printChange, printState } from './print-change.ts'
import { completeRunId, readRunId } from './read-flags.ts'
import { formatStopped } from './run-text.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const { out } = runtime.terminal
    const [given] = args
    const typed = given === undefined ? undefined : await readRunId(command, given, 'list-runs')
    const here = await openRuns(command, runtime)
    if (!flags.isOn('json') && out.isTty) return await stopForPerson(invocation, { command, here, given })
    const runId = typed === undefined ? await findStoppable(command, here) : completeRunId(command, here, typed)
    command.runId = runId
    const state = await stopDriven(here, runId)
    await (flags.isOn('json') ? printState(out, state) : printChange(out, formatStopped(state)))
    return 0
  })

/** A person at a terminal may stop a run from any worktree. Programs are told where it belongs, as the protocol says. */
async function stopForPerson(
  invocation: Invocation,
  { command, here, given }: { command: WorkspaceCommand; here: RunContext; given: string | undefined },
): Promise<number> {
  const { context, run } = await openPersonRun(command, here, { given, intent: 'stop' })
  await stopDriven(context, run.id)
  await printRunChange(invocation, { context, runId: run.id }, 'Stopped. Its work so far is kept.')
  return 0
}

/** The only run that can be stopped. Without exactly one, the failure offers the list of runs. */
async function findStoppable(command: WorkspaceCommand, context: RunContext): Promise<string> {
  return await command.suggesting({ next: (workspace) => offer('list-runs', workspace) }, async () =>
    onlyStoppable(await outlineRuns(context)),
  )
}
