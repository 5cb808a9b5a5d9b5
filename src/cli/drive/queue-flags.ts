/** What the flags of `drover drive` say about the queue. */
import type { Config } from '../../config/config.shape.ts'
import type { QueuePlace } from '../../drive/decide/queue.ts'
import { runNotQueued } from '../../drive/faults.ts'
import { joinGroup, type RunGroup } from '../../drive/group-totals.ts'
import { findDriven, listDriven } from '../../drive/record/driven-records.ts'
import { moveQueued } from '../../drive/service/run-queue.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import type { DriveTarget } from '../../drive/start/start-drive.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { findUserPaths } from '../settings.ts'
import { findLabeled, findOpenRun } from './drive-target.ts'
import { moveNeedsRun, queueNeedsNewRuns } from './faults.ts'
import { openQueue } from './show-queue.ts'

type NewTarget = Exclude<DriveTarget, { is: 'run' }>

/** What the command is to do. */
export type Wanted =
  | { readonly is: 'drive'; readonly target: DriveTarget }
  | { readonly is: 'queue'; readonly targets: readonly [NewTarget, ...NewTarget[]] }
  | { readonly is: 'moved'; readonly runId: string; readonly place: QueuePlace }

export async function chooseWanted(
  invocation: Invocation,
  context: RunContext,
  named: readonly DriveTarget[],
): Promise<Wanted> {
  const { flags, runtime } = invocation
  const [only, ...others] = named
  const label = flags.text('label')
  const ahead = flags.text('ahead-of')
  if (ahead !== undefined && (only?.is !== 'run' || others.length > 0 || label !== undefined)) throw moveNeedsRun({})
  if (
    only?.is === 'run' &&
    others.length === 0 &&
    (flags.isOn('first') || ahead !== undefined) &&
    label === undefined
  ) {
    const place = ahead === undefined ? 'first' : { before: resolveRunId(context, ahead) }
    return { is: 'moved', runId: resolveRunId(context, only.id), place }
  }
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

/** `drover drive RUN --first` and `drover drive RUN --ahead-of RUN` */
export async function moveRun(
  invocation: Invocation,
  config: Config,
  { runId, place }: Extract<Wanted, { is: 'moved' }>,
): Promise<number> {
  const before = place === 'first' || place === 'last' ? undefined : place.before
  const moved = await moveQueued(openQueue(invocation, config), { id: runId, place })
  if (moved === undefined) {
    const isQueued = findDriven(findUserPaths(invocation).drivenRuns, runId)?.queued !== undefined
    throw runNotQueued({ id: isQueued ? (before ?? runId) : runId })
  }
  const { out } = invocation.runtime.terminal
  const done = before === undefined ? { type: 'first', run_id: runId } : { type: 'moved', run_id: runId, before }
  const text = before === undefined ? `Run ${runId} is next.` : `Run ${runId} starts before ${before}.`
  await out.write(invocation.flags.isOn('json') ? `${JSON.stringify(done)}\n` : `${text}\n`)
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
