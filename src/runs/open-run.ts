import type { Action } from '../contract/action.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { runJournalInvalid } from '../journal/faults.ts'
import type { MaterialReader } from '../journal/materials.ts'
import { readRun, readRunHeader, readWholeRun } from '../journal/read-run.ts'
import { toJournalPath } from '../journal/run-store.ts'
import { findRevisionProblems } from '../source/revisions.ts'
import { interruptible, type RunContext } from './run-context.ts'
import { checkSameWorkspace } from './run-worktree.ts'

/** Reads a run of this worktree. The run cannot change during `work`, which may be called twice. */
export async function openRun<T>(
  context: RunContext,
  runId: string,
  work: (run: Run, materials: MaterialReader) => T,
): Promise<T> {
  checkRunOwner(context, runId)
  return await interruptible(context, () => readRun(context.store, runId, checked(context, work)))
}

/** Like `openRun`, with the full text of every action. It reads the whole journal. */
export async function openWholeRun<T>(
  context: RunContext,
  runId: string,
  work: (run: Run, issued: readonly Action[]) => T,
): Promise<T> {
  checkRunOwner(context, runId)
  return await interruptible(context, () => readWholeRun(context.store, runId, checked(context, work)))
}

function checked<More, T>(context: RunContext, work: (run: Run, more: More) => T): (run: Run, more: More) => T {
  return (run, more) => {
    context.signal.throwIfAborted()
    checkSourceRevisions(context, run)
    return work(run, more)
  }
}

/** Checks that the run belongs to this worktree. It does not wait for the lock of the run. */
export function checkRunOwner(context: RunContext, runId: string): void {
  checkSameWorkspace(context, readRunHeader(context.store, runId))
}

/** Checks that the revisions of the sources match their content, which the event rules cannot do. */
export function checkSourceRevisions({ store }: RunContext, { id, pinned_source, source_candidate }: Run): void {
  const sources = [pinned_source, source_candidate?.snapshot].filter((source) => source !== undefined)
  const [problem] = sources.flatMap(findRevisionProblems)
  if (problem === undefined) return
  const path = toJournalPath(store, id)
  throw runJournalInvalid({ run_id: id, path, problem: `the ${problem.path.slice(2)} of its source ${problem.rule}` })
}
