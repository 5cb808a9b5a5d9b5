/** The run that a person means: the one they name, in any worktree of the repository, or the only one that waits. */
import { existsSync } from 'node:fs'
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import { resolveRunId, shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import { findWaitingRun, type RunIntent } from '../../runs/waiting-run.ts'
import type { Invocation } from '../command.ts'
import { timesFor, verdictIn } from '../output/format-amounts.ts'
import { offer, type WorkspaceRef } from '../remedies.ts'
import { findUserPaths } from '../settings.ts'
import type { WorkspaceCommand } from '../workspace-command.ts'
import { printChange, printState } from './print-change.ts'
import { readRunId } from './read-flags.ts'
import { findVerdict } from './run-list.ts'
import { formatRunView, type ViewOptions } from './run-view.ts'

export type PersonRun = { context: RunContext; run: RunOutline }

export async function openPersonRun(
  command: WorkspaceCommand,
  context: RunContext,
  { given, intent }: { given: string | undefined; intent: RunIntent },
): Promise<PersonRun> {
  const typed = given === undefined ? undefined : await readRunId(command, given, 'list-runs')
  const list = { next: (workspace: WorkspaceRef) => offer('list-runs', workspace) }
  const found =
    typed === undefined
      ? await command.suggesting(list, () => findWaitingRun(context, intent))
      : await openNamed(command, context, typed)
  command.runId = found.run.id
  return found
}

/** The run with this id, or the beginning of one, in any worktree of the repository. */
export async function openNamed(command: WorkspaceCommand, context: RunContext, typed: string) {
  command.runId = resolveRunId(context, typed)
  const there = await openOwnWorktree(context, command.runId)
  return { context: there, run: await outlineRun(there, command.runId) }
}

/** Prints the new state of a run: for programs as JSON, for people as the whole run with a sentence about the change. */
export async function printChangedRun(
  invocation: Invocation,
  context: RunContext,
  { state, sentence }: { state: ProtocolState; sentence: string },
): Promise<void> {
  if (invocation.flags.isOn('json')) await printState(invocation.runtime.terminal.out, state)
  else await printRunChange(invocation, { context, runId: state.run_id }, sentence)
}

/** Prints a run after a change, with a sentence about the change. */
export async function printRunChange(
  invocation: Invocation,
  { context, runId }: { context: RunContext; runId: string },
  sentence: string,
): Promise<void> {
  const run = await outlineRun(context, runId)
  const view = formatRunView(run, await readViewOptions(invocation, context, run))
  await printChange(invocation.runtime.terminal.out, `${sentence}\n\n${view}`)
}

/** What the view of a run shows beside the run. */
export async function readViewOptions(
  invocation: Invocation,
  context: RunContext,
  run: RunOutline,
): Promise<ViewOptions> {
  const { flags, runtime } = invocation
  const drive = readDrive(context.store, run.id)
  const name = shortenKnownRunId(context, run.id)
  const { out } = runtime.terminal
  const options = { records: findUserPaths(invocation).drivenRuns, ...(out.isTty && { name }) }
  const verdict = await findVerdict(context, run, options)
  return {
    now: runtime.clock.now(),
    name,
    root: flags.text('root'),
    // In a pipe, ids are whole.
    verdict: verdictIn(
      verdict,
      timesFor(out, () => runtime.clock.now()),
    ),
    drive,
    isRemoved: drive !== undefined && !existsSync(run.workspace),
    out,
  }
}
