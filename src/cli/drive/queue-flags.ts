/** What the flags of `drover drive` say about the queue. */
import { runNotQueued } from '../../drive/faults.ts'
import { joinGroup, type RunGroup } from '../../drive/group-totals.ts'
import { findDriven, listDriven } from '../../drive/record/driven-records.ts'
import { moveFirst } from '../../drive/service/run-queue.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import type { DriveTarget } from '../../drive/start/start-drive.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { findUserPaths } from '../settings.ts'
import { findLabeled, findOpenRun } from './drive-target.ts'
import { queueNeedsNewRuns } from './faults.ts'

type NewTarget = Exclude<DriveTarget, { is: 'run' }>

/** What the command is to do. */
export type Wanted =
  | { readonly is: 'drive'; readonly target: DriveTarget }
  | { readonly is: 'queue'; readonly targets: readonly [NewTarget, ...NewTarget[]] }
  /** To the front of the queue. */
  | { readonly is: 'moved'; readonly runId: string }

export async function chooseWanted(
  invocation: Invocation,
  context: RunContext,
  named: readonly DriveTarget[],
): Promise<Wanted> {
  const { flags, runtime } = invocation
  const [only, ...others] = named
  const label = flags.text('label')
  if (only?.is === 'run' && others.length === 0 && flags.isOn('first') && label === undefined)
    return { is: 'moved', runId: resolveRunId(context, only.id) }
  const labeled = label === undefined ? [] : await findLabeled(label, context, runtime)
  const [first, ...rest] = [...named, ...labeled]
  if (first === undefined || (label === undefined && !isForQueue(invocation, named)))
    return { is: 'drive', target: first ?? (await findOpenRun(context)) }
  return { is: 'queue', targets: [requireNew(first), ...rest.map(requireNew)] }
}

/** A run that exists is continued at once: only new ones are queued. */
function requireNew(target: DriveTarget): NewTarget {
  if (target.is === 'run') throw queueNeedsNewRuns({ id: target.id })
  return target
}

/** A run in the background does not pass those that wait. */
function isForQueue(invocation: Invocation, targets: readonly DriveTarget[]): boolean {
  const { flags } = invocation
  if (targets.length > 1 || flags.isOn('first') || flags.text('after') !== undefined) return true
  const isNew = targets.some(({ is }) => is !== 'run')
  if (!isNew) return false
  if (flags.text('total-tokens') !== undefined || flags.text('total-cost') !== undefined) return true
  const { drivenRuns: directory } = findUserPaths(invocation)
  const isInBackground = flags.isOn('detach') && !flags.isOn('in-place')
  return isInBackground && listDriven(directory).some(({ queued }) => queued !== undefined)
}

/** `drover drive RUN --first` */
export async function moveRunFirst(invocation: Invocation, runId: string): Promise<number> {
  const moved = await moveFirst(findUserPaths(invocation).drivenRuns, runId)
  if (moved === undefined) throw runNotQueued({ id: runId })
  const { out } = invocation.runtime.terminal
  const isJson = invocation.flags.isOn('json')
  await out.write(isJson ? `${JSON.stringify({ type: 'first', run_id: runId })}\n` : `Run ${runId} is next.\n`)
  return 0
}

/** A run that continues with other totals changes those of all runs that it was queued with. */
export function raiseTotals(invocation: Invocation, runId: string, totals: Omit<RunGroup, 'id'>): void {
  if (Object.keys(totals).length === 0) return
  const { drivenRuns: directory } = findUserPaths(invocation)
  const group = findDriven(directory, runId)?.group
  const instead = 'the run was not queued with others; use --max-tokens or --max-cost'
  if (group === undefined) throw flagsConflict({ flags: ['--total-tokens or --total-cost', `RUN ${runId}`], instead })
  joinGroup(directory, { id: group.id, ...totals })
}

/** The options as they would be if the run had the limits alone: its agents must report what is limited. */
export function withTotals(given: GivenOptions, totals: Omit<RunGroup, 'id'>): GivenOptions {
  return {
    ...given,
    max_tokens: given.max_tokens ?? totals.max_tokens,
    max_cost_microusd: given.max_cost_microusd ?? totals.max_cost_microusd,
  }
}
