import { CONTRACT_VERSION } from '../contract/limits.ts'
import { makeVariant } from '../contract/next-variants.ts'
import type { RunStatus } from '../contract/run-status.shape.ts'
import type { StatusList } from '../contract/status-list.shape.ts'
import { checkStatusList } from '../contract/status-list.ts'
import { toRunStatus } from '../engine/to-run-status.ts'
import { runBusy, runJournalInvalid, runNotFound } from '../journal/faults.ts'
import { listRunIds } from '../journal/list-run-ids.ts'
import { type RunHeader, readRunHeader, scanRunState } from '../journal/read-header.ts'
import { Fault } from '../kit/fault.ts'
import { compareBytes } from '../kit/utf8.ts'
import { isSameWorkspace } from '../workspace/identity.ts'
import { runInterrupted } from './faults.ts'
import { openWholeRun } from './open-run.ts'
import { offerAt } from './own-workspace.ts'
import type { RunContext } from './run-context.ts'
import { outlineRun, type RunOutline } from './show-status.ts'

const AT_A_TIME = 16

type Unavailable = StatusList['unavailable_runs'][number]
type ForeignRun = Extract<RunStatus, { workspace_foreign: true }>

/** Runs of the repository, the oldest first, and those that cannot be read. */
type Found<R> = { readonly runs: readonly (R | ForeignRun)[]; readonly unavailable_runs: readonly Unavailable[] }
export type RunList = Found<RunOutline>

/** All runs, and all that is known of those of this worktree. One that cannot be read does not hide the others. */
export async function listRuns(context: RunContext): Promise<StatusList> {
  const found = await findAllOut(context, (id) => openWholeRun(context, id, toRunStatus))
  return checkStatusList({ contract_version: CONTRACT_VERSION, ...found })
}

/** As much of it as people are shown, for which long journals need not be read. */
export async function outlineRuns(context: RunContext): Promise<RunList> {
  return await findAllOut(context, (id) => outlineRun(context, id))
}

type Shown = Pick<RunStatus, 'id' | 'created_at' | 'state'>

/** Several at a time: who waits for one that is busy does not wait for each in turn, and files are open for a few only. */
async function findAllOut<R extends Shown>(context: RunContext, show: (id: string) => Promise<R>): Promise<Found<R>> {
  const runs: (R | ForeignRun)[] = []
  const unavailable_runs: Unavailable[] = []
  const waiting = listRunIds(context.store).values()
  const work = async () => {
    for (const id of waiting) {
      const found = await findOut(context, id, show)
      if (found === undefined) continue
      if ('state' in found) runs.push(found)
      else unavailable_runs.push(found)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return { runs: runs.sort(byAge), unavailable_runs: unavailable_runs.sort(byId) }
}

function byAge(one: Shown, other: Shown): number {
  return Date.parse(one.created_at) - Date.parse(other.created_at) || byId(one, other)
}

function byId(one: { id: string }, other: { id: string }): number {
  return compareBytes(one.id, other.id)
}

/** Undefined for a run that went away after it was listed. */
async function findOut<R>(
  context: RunContext,
  id: string,
  show: (id: string) => Promise<R>,
): Promise<R | ForeignRun | Unavailable | undefined> {
  try {
    const header = readRunHeader(context.store, id)
    return isSameWorkspace(context.workspace, header.workspace_identity) ? await show(id) : toStub(context, header)
  } catch (error) {
    if (!(error instanceof Fault) || error.code === runInterrupted.code) throw error
    return error.code === runNotFound.code ? undefined : toUnavailable(id, error)
  }
}

/** A run of another worktree: its records are looked at, nothing is locked and nothing mended. */
function toStub({ store }: RunContext, { id, goal, workspace_identity, created_at }: RunHeader): ForeignRun {
  const { worktree_root } = workspace_identity
  return {
    contract_version: CONTRACT_VERSION,
    id,
    goal,
    workspace: worktree_root,
    workspace_identity,
    workspace_foreign: true,
    state: scanRunState(store, id),
    created_at,
    next: offerAt(workspace_identity, makeVariant('inspect-run-in-its-workspace', { RUN: id, ROOT: worktree_root })),
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
