import { existsSync } from 'node:fs'
import type { StatusList } from '../../contract/status-list.shape.ts'
import { Fault } from '../../kit/fault.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { listRuns } from '../../runs/run-status.ts'
import { defineCheck, type Finding } from './check.ts'

const RUNS = { group: 'Runs', name: 'runs' } as const

export const runsReadable = defineCheck({
  ...RUNS,
  code: 'runs_readable',
  status: 'ok',
  means: 'The journal of every run could be read and is whole.',
})

export const runBusy = defineCheck({
  ...RUNS,
  code: 'run_busy',
  status: 'warning',
  means: 'Another process is at work on a run, so its journal was not read.',
  todo: 'run drover doctor again when it is done',
})

export const runUnreadable = defineCheck({
  ...RUNS,
  code: 'run_unreadable',
  status: 'error',
  means: 'A run cannot be read: its journal is missing, damaged or edited, or its directory or lock cannot be used.',
  todo: 'restore its journal from a copy, or move its directory away to give the run up',
})

export const runWorktreeGone = defineCheck({
  ...RUNS,
  code: 'run_worktree_gone',
  status: 'warning',
  means: 'A run has not ended, and the worktree it belongs to is no longer there.',
  todo: 'put the worktree back where it was to go on with the run, or leave it: it is in nobody’s way',
})

export const runstoreUnusable = defineCheck({
  ...RUNS,
  code: 'runstore_unusable',
  status: 'error',
  means: 'The directory of the runs is something else, or may not be looked into.',
  todo: 'see what is there and move it away, or give yourself the right to look into it',
})

export async function checkRuns(context: RunContext): Promise<Finding[]> {
  try {
    return judgeRuns(await listRuns(context), { isThere: existsSync })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [runstoreUnusable({ detail: error.message, todo: undefined })]
  }
}

function judgeRuns(
  { runs, unavailable_runs }: StatusList,
  { isThere }: { isThere: (path: string) => boolean },
): Finding[] {
  const lost = runs.filter(({ state, workspace }) => state !== 'ended' && !isThere(workspace))
  const troubles = [
    ...unavailable_runs.map(({ id, code, detail }) =>
      code === 'run_busy'
        ? runBusy({ detail: `the run ${id} is being worked on` })
        : runUnreadable({ detail, todo: undefined }),
    ),
    ...lost.map(({ id, state, workspace }) =>
      runWorktreeGone({ detail: `the run ${id} is ${state}, and ${workspace} is gone` }),
    ),
  ]
  const detail =
    runs.length === 0 ? 'no runs yet' : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'} could be read`
  return unavailable_runs.length === 0 ? [runsReadable({ detail }), ...troubles] : troubles
}
