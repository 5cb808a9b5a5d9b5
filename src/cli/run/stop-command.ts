import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { stopDriven } from '../../drive/stop-driven.ts'
import { onlyStoppable } from '../../runs/operations.ts'
import { outlineRun, outlineRuns } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
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
    if (flags.isOn('json')) await printState(out, state)
    else await printChange(out, formatStopped(state, await tryVerdict(here, state.run_id)))
    return 0
  })

/** Undefined if the run was not driven: then a host continues it. */
async function tryVerdict(here: RunContext, runId: string): Promise<RunVerdict | undefined> {
  const drive = readDrive(here.store, runId)
  return drive && (await readVerdict(here, { run: await outlineRun(asOwner(here, runId), runId), drive }))
}

/**
 * A person at a terminal may stop a run from any worktree, and anyone a driven run. For the other runs programs are told where
 * they belong, as the protocol says.
 */
async function stopForPerson(
  invocation: Invocation,
  { command, here, given }: { command: WorkspaceCommand; here: RunContext; given: string | undefined },
): Promise<number> {
  const named = given === undefined ? undefined : completeRunId(command, here, given)
  const isDriven = named !== undefined && readDrive(here.store, named) !== undefined
  // The worktree of a driven run that is delivered may be gone.
  const context = isDriven ? asOwner(here, named) : here
  const { context: there, run } = await openPersonRun(command, context, { given: named, intent: 'stop' })
  const { run_id: runId } = await stopDriven(isDriven ? here : there, run.id)
  await printRunChange(invocation, { context: asOwner(there, runId), runId }, 'Stopped. Its work so far is kept.')
  return 0
}

/** The only run that can be stopped. Without exactly one, the failure offers the list of runs. */
async function findStoppable(command: WorkspaceCommand, context: RunContext): Promise<string> {
  return await command.suggesting({ next: (workspace) => offer('list-runs', workspace) }, async () =>
    onlyStoppable(await outlineRuns(context)),
  )
}
