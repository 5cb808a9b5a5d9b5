import { existsSync } from 'node:fs'
import type { StatusList } from '../../../contract/run-status.shape.ts'
import { Fault } from '../../../kit/fault.ts'
import { listRuns } from '../../../runs/read-status.ts'
import { openRunContext } from '../../../runs/run-context.ts'
import { inWorktree } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const RUNS = defineFindings('Runs', 'runs', {
  runs_readable: ok('The journal of every run is readable and complete.'),
  run_busy: warning(
    'Another process is using a run, so its journal was not read.',
    'run drover doctor again when it has finished',
  ),
  run_unreadable: problem(
    'A run cannot be read: its journal is missing, damaged or edited, or its directory or lock cannot be used.',
    'restore its journal from a backup, or move its directory elsewhere to abandon the run',
  ),
  run_worktree_gone: warning(
    'A run has not ended, but its worktree no longer exists.',
    'restore the worktree at its old path to continue the run, or ignore this: the run does no harm',
  ),
  runstore_unusable: problem(
    'The run storage is not a directory, or is not readable.',
    'inspect what is there and move it away, or make it readable',
  ),
})

/** A locked run is reported as busy. Waiting for it is not worth it. */
const RUN_LOCK_WAIT_MS = 500

export const checkRuns = inWorktree(async (workspace, { git, runtime, signal }) => {
  const options = { workspace, git, clock: runtime.clock, signal, lockWaitMs: RUN_LOCK_WAIT_MS }
  try {
    return assessRuns(await listRuns(openRunContext(options)))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [RUNS.runstore_unusable({ detail: error.message, todo: undefined })]
  }
})

function assessRuns({ runs, unavailable_runs }: StatusList): Finding[] {
  const lost = runs.filter(({ state, workspace }) => state !== 'ended' && !existsSync(workspace))
  const problems = [
    ...unavailable_runs.map(({ id, code, detail }) =>
      code === 'run_busy'
        ? RUNS.run_busy({ detail: `another process is using run ${id}` })
        : RUNS.run_unreadable({ detail, todo: undefined }),
    ),
    ...lost.map(({ id, state, workspace }) =>
      RUNS.run_worktree_gone({ detail: `run ${id} is ${state}, but ${workspace} no longer exists` }),
    ),
  ]
  const count = runs.length === 1 ? '1 run is readable' : `${runs.length} runs are readable`
  const detail = runs.length === 0 ? 'no runs yet' : count
  return unavailable_runs.length === 0 ? [RUNS.runs_readable({ detail }), ...problems] : problems
}
