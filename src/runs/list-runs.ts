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
import type { Worksite } from './worksite.ts'

const AT_A_TIME = 16

type Unavailable = StatusList['unavailable_runs'][number]

/** All runs of the repository, the oldest first. One that cannot be read does not hide the others. */
export async function listRuns(site: Worksite): Promise<StatusList> {
  const found = await findAllOut(site, listRunIds(site.store))
  const runs = found.filter((each): each is RunStatus => each !== undefined && 'state' in each)
  const unavailable_runs = found.filter((each): each is Unavailable => each !== undefined && !('state' in each))
  return checkStatusList({ contract_version: CONTRACT_VERSION, runs: runs.sort(byAge), unavailable_runs })
}

function byAge(one: RunStatus, other: RunStatus): number {
  return Date.parse(one.created_at) - Date.parse(other.created_at) || compareBytes(one.id, other.id)
}

/** Several at a time: who waits for one that is busy does not wait for each in turn, and files are open for a few only. */
async function findAllOut(site: Worksite, ids: readonly string[]): Promise<(RunStatus | Unavailable | undefined)[]> {
  const found = new Map<string, RunStatus | Unavailable | undefined>()
  const waiting = ids.values()
  const work = async () => {
    for (const id of waiting) found.set(id, await findOut(site, id))
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return ids.map((id) => found.get(id))
}

/** Undefined for a run that went away after it was listed. */
async function findOut(site: Worksite, id: string): Promise<RunStatus | Unavailable | undefined> {
  try {
    const header = readRunHeader(site.store, id)
    return isSameWorkspace(site.workspace, header.workspace_identity)
      ? await openWholeRun(site, id, toRunStatus)
      : toStub(site, header)
  } catch (error) {
    if (!(error instanceof Fault) || error.code === runInterrupted.code) throw error
    return error.code === runNotFound.code ? undefined : toUnavailable(id, error)
  }
}

/** A run of another worktree: its records are looked at, nothing is locked and nothing mended. */
function toStub({ store }: Worksite, { id, goal, workspace_identity, created_at }: RunHeader): RunStatus {
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
