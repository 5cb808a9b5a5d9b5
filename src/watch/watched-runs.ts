/** What a watcher needs of the runs: those of its own server, or of the user's server over its socket. */
import type { DrivenRun } from '../drive/service/driven-run.shape.ts'
import type { RunService } from '../drive/service/run-service.ts'
import type { DriveStartRequest } from '../drive/service/run-starter.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'
import { type Caller, USER } from '../prompts/caller.ts'

export type WatchedRuns = {
  /** With an id that was used before, it returns that run. */
  start(request: DriveStartRequest & { readonly runId: string }): Promise<DrivenRun>
  show(id: string): Promise<DrivenRun>
  answer(id: string, text: string): Promise<unknown>
  resume(id: string): Promise<unknown>
  stop(id: string): Promise<unknown>
  /** What was used of each budget. */
  budgets(): Promise<BudgetList>
}

type ServerParts = {
  readonly runs: Pick<RunService, 'start' | 'show' | 'answer' | 'resume' | 'stop'>
  readonly budgets: { list(by: Caller): Promise<BudgetList> }
}

export function runsOfServer({ runs, budgets }: ServerParts): WatchedRuns {
  return {
    budgets: () => budgets.list(USER),
    start: (request) => runs.start(USER, request),
    show: (id) => runs.show(USER, id),
    answer: (id, text) => runs.answer(USER, id, { text, actionId: undefined }),
    resume: (id) => runs.resume(USER, id, { given: {}, actions: undefined }),
    stop: (id) => runs.stop(USER, id),
  }
}

/** The last round of a run. */
export async function showLast(runs: WatchedRuns, id: string): Promise<DrivenRun> {
  const run = await runs.show(id)
  return run.next_run_id === undefined ? run : await showLast(runs, run.next_run_id)
}

/** No person pulls in a clone that is only watched. */
export const NEW_RUN = {
  ...{ given: {}, isReviewed: true, isIssueGoal: true, isFromOrigin: true },
  queue: { isFirst: false },
} as const
