/** Which run a person means who names none: the only one that waits for what they want to do. */
import { titleOfGoal } from '../contract/goal-title.ts'
import { listRunIds } from '../journal/run-store.ts'
import { Fault } from '../kit/fault.ts'
import { runIdRequired } from './faults.ts'
import { outlineRun, outlineRuns, type RunList, type RunOutline } from './read-status.ts'
import { shortenRunId } from './resolve-run-id.ts'
import type { RunContext } from './run-context.ts'
import { asOwner, openOwnWorktree } from './run-worktree.ts'

/** What a person wants to do with a run. */
export type RunIntent = 'answer' | 'skip' | 'continue' | 'stop' | 'drive'

const WAITS_FOR: Readonly<Record<RunIntent, { one: string; many: string }>> = {
  answer: { one: 'waits for an answer', many: 'wait for an answer' },
  skip: { one: 'has an action to skip', many: 'have an action to skip' },
  continue: { one: 'can be continued', many: 'can be continued' },
  stop: { one: 'can be stopped', many: 'can be stopped' },
  drive: { one: 'can continue', many: 'can continue' },
}

/** Whether the run waits for it. Pure. */
function isWaitingFor({ next, state }: Pick<RunOutline, 'next' | 'state'>, intent: RunIntent): boolean {
  if (intent === 'drive') return state !== 'ended'
  if (intent === 'stop') return state === 'active' || state === 'paused'
  if (intent === 'skip') return next.variants.some(({ id }) => id === 'skip-action')
  return next.operation === (intent === 'answer' ? 'answer' : 'resume')
}

export type FoundRun = { readonly context: RunContext; readonly run: RunOutline }

/** The only run of this worktree that waits, else the only one of the repository. Throws `run_id_required`. */
export async function findWaitingRun(context: RunContext, intent: RunIntent): Promise<FoundRun> {
  return await chooseWaitingRun(context, await outlineRuns(context), intent)
}

/** The same, among runs that have been listed. */
export async function chooseWaitingRun(context: RunContext, list: RunList, intent: RunIntent): Promise<FoundRun> {
  const own = list.runs
    .filter((run): run is RunOutline => run.workspace_foreign !== true)
    .filter((run) => isWaitingFor(run, intent))
  const found = own.length > 0 ? own.map((run) => ({ context, run })) : await waitingElsewhere(context, list, intent)
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  throw runIdRequired({ problem: describe(found, list, { context, intent }) })
}

async function waitingElsewhere(context: RunContext, { runs }: RunList, intent: RunIntent): Promise<FoundRun[]> {
  const open = runs.filter(({ workspace_foreign, state }) => workspace_foreign === true && state !== 'ended')
  const read = await Promise.all(open.map(({ id }) => readElsewhere(context, id)))
  return read.filter((found) => found !== undefined).filter(({ run }) => isWaitingFor(run, intent))
}

/** Undefined if the run cannot be read, for example because its worktree is gone. */
async function readElsewhere(context: RunContext, runId: string): Promise<FoundRun | undefined> {
  try {
    const there = await openOwnWorktree(context, runId)
    return { context: there, run: await outlineRun(there, runId) }
  } catch (error) {
    if (!(error instanceof Fault) || context.signal.aborted) throw error
    return undefined
  }
}

function describe(
  found: readonly FoundRun[],
  { unavailable_runs }: RunList,
  { context, intent }: { context: RunContext; intent: RunIntent },
): string {
  const { one, many } = WAITS_FOR[intent]
  const busy = unavailable_runs.filter(({ code }) => code === 'run_busy').length
  if (found.length === 0) return `no run ${one}${busy > 0 ? `, but ${busy} could not be read because it is busy` : ''}`
  const ids = listRunIds(context.store)
  const named = found.map(({ run }) => `${shortenRunId(run.id, ids)} (${toTitle(run.goal)})`)
  return `${found.length} runs ${many}: ${named.join(', ')}`
}

const TITLE_CHARACTERS = 40

function toTitle(goal: string): string {
  const line = titleOfGoal(goal)
  return line.length <= TITLE_CHARACTERS ? line : `${line.slice(0, TITLE_CHARACTERS - 1).toWellFormed()}…`
}

/** For reading: the newest run of this worktree, else the newest one of the repository. Throws `run_id_required` if there is none. */
export async function findNewestRun(context: RunContext): Promise<FoundRun> {
  const { runs } = await outlineRuns(context)
  const newest = runs.findLast(({ workspace_foreign }) => workspace_foreign !== true) ?? runs.at(-1)
  if (newest === undefined) throw runIdRequired({ problem: 'this repository has no run' })
  const there = asOwner(context, newest.id)
  return { context: there, run: await outlineRun(there, newest.id) }
}
