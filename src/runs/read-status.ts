import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { LocalRun, RunStatus, StatusList } from '../contract/run-status.shape.ts'
import { checkRunStatus, checkStatusList } from '../contract/run-status.ts'
import { type RunOutline, toRunOutline, toRunStatus } from '../engine/to-run-status.ts'
import { runBusy, runJournalInvalid, runNotFound } from '../journal/faults.ts'
import { type RunHeader, readRunHeader, readRunState } from '../journal/read-run.ts'
import { listRunIds } from '../journal/run-store.ts'
import { Fault } from '../kit/fault.ts'
import { compareBytes } from '../kit/utf8.ts'
import { isSameWorkspace } from '../workspace/discover-workspace.ts'
import { runInterrupted } from './faults.ts'
import { openRun, openWholeRun } from './open-run.ts'
import type { RunContext } from './run-context.ts'
import { hintForForeign } from './run-worktree.ts'

const MAX_CONCURRENT_READS = 16

type Unavailable = StatusList['unavailable_runs'][number]
type ForeignRun = Extract<RunStatus, { workspace_foreign: true }>

/** The runs of the repository, oldest first, and those that cannot be read. */
type Listed<R> = { readonly runs: readonly (R | ForeignRun)[]; readonly unavailable_runs: readonly Unavailable[] }

export type { RunOutline }
export type RunList = Listed<RunOutline>

/** Everything known about a run of this worktree. It reads the whole journal. */
export async function showStatus(context: RunContext, runId: string): Promise<LocalRun> {
  const status = await openWholeRun(context, runId, toRunStatus)
  checkRunStatus(status)
  return status
}

/** The status without the texts of actions, for people. It does not read a long journal. */
export async function outlineRun(context: RunContext, runId: string): Promise<RunOutline> {
  return await openRun(context, runId, toRunOutline)
}

/** The status of all runs. Runs of other worktrees are stubs; an unreadable run does not hide the others. */
export async function listRuns(context: RunContext): Promise<StatusList> {
  const found = await readAll(context, (id) => openWholeRun(context, id, toRunStatus))
  return checkStatusList({ contract_version: CONTRACT_VERSION, ...found })
}

/** The outlines of all runs. */
export async function outlineRuns(context: RunContext): Promise<RunList> {
  return await readAll(context, (id) => outlineRun(context, id))
}

type Shown = Pick<RunStatus, 'id' | 'created_at' | 'state'>

/** Reads several runs at a time, so that busy runs are waited for together and few files are open. */
async function readAll<R extends Shown>(context: RunContext, show: (id: string) => Promise<R>): Promise<Listed<R>> {
  const runs: (R | ForeignRun)[] = []
  const unavailable_runs: Unavailable[] = []
  const waiting = listRunIds(context.store).values()
  const work = async () => {
    for (const id of waiting) {
      const found = await readEntry(context, id, show)
      if (found === undefined) continue
      if ('state' in found) runs.push(found)
      else unavailable_runs.push(found)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, work))
  return { runs: runs.sort(byAge), unavailable_runs: unavailable_runs.sort(byId) }
}

function byAge(one: Shown, other: Shown): number {
  return Date.parse(one.created_at) - Date.parse(other.created_at) || byId(one, other)
}

function byId(one: { id: string }, other: { id: string }): number {
  return compareBytes(one.id, other.id)
}

/** Undefined if the run was removed after it was listed. */
async function readEntry<R>(
  context: RunContext,
  id: string,
  show: (id: string) => Promise<R>,
): Promise<R | ForeignRun | Unavailable | undefined> {
  try {
    const header = readRunHeader(context.store, id)
    return isSameWorkspace(context.workspace, header.workspace_identity)
      ? await show(id)
      : toForeignRun(context, header)
  } catch (error) {
    if (!(error instanceof Fault) || error.code === runInterrupted.code) throw error
    return error.code === runNotFound.code ? undefined : toUnavailable(id, error)
  }
}

/** The stub of a run of another worktree. It locks and repairs nothing. */
function toForeignRun({ store }: RunContext, { id, goal, workspace_identity, created_at }: RunHeader): ForeignRun {
  const { worktree_root } = workspace_identity
  return {
    contract_version: CONTRACT_VERSION,
    id,
    goal,
    workspace: worktree_root,
    workspace_identity,
    workspace_foreign: true,
    state: readRunState(store, id),
    created_at,
    next: hintForForeign({ id, workspace_identity }),
  }
}

function toUnavailable(id: string, { code, message }: Fault): Unavailable {
  const known = [runBusy.code, runJournalInvalid.code].find((each) => each === code)
  return {
    id,
    code: (known ?? 'run_unavailable') as Unavailable['code'],
    detail: message.toWellFormed().replace(/\p{Cc}+/gu, ' '),
  }
}

/** The question that a run waits with. Undefined if it does not wait for an answer to one. */
export function pendingQuestion({
  state,
  current_action,
  actions,
}: Pick<RunOutline, 'state' | 'current_action' | 'actions'>): string | undefined {
  return state === 'paused' && current_action !== undefined ? actions.at(-1)?.outcome?.pause?.question : undefined
}
