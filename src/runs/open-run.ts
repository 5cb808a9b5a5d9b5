import type { Action } from '../contract/action.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { runJournalInvalid } from '../journal/faults.ts'
import type { MaterialReader } from '../journal/materials.ts'
import { readRunHeader } from '../journal/read-header.ts'
import { readRun, readWholeRun } from '../journal/read-run.ts'
import { journalPathOf } from '../journal/run-store.ts'
import { findRevisionProblems } from '../source/verify-pinned-source.ts'
import { interruptible } from './interruptible.ts'
import { refuseForeign } from './own-workspace.ts'
import type { RunContext } from './run-context.ts'

/** Reads a run of this worktree. It cannot change while `work` looks at it; `work` may be done twice. */
export async function openRun<T>(
  context: RunContext,
  runId: string,
  work: (run: Run, materials: MaterialReader) => T,
): Promise<T> {
  refuseOthers(context, runId)
  return await interruptible(context, () => readRun(context.store, runId, checked(context, work)))
}

/** The same with every action as it was issued, which takes longer. */
export async function openWholeRun<T>(
  context: RunContext,
  runId: string,
  work: (run: Run, issued: readonly Action[]) => T,
): Promise<T> {
  refuseOthers(context, runId)
  return await interruptible(context, () => readWholeRun(context.store, runId, checked(context, work)))
}

function checked<More, T>(context: RunContext, work: (run: Run, more: More) => T): (run: Run, more: More) => T {
  return (run, more) => {
    context.signal.throwIfAborted()
    refuseUntrue(context, run)
    return work(run, more)
  }
}

/** Whose run it is can be told without waiting for anybody who works on it. */
export function refuseOthers(context: RunContext, runId: string): void {
  refuseForeign(context, readRunHeader(context.store, runId))
}

/** A journal says what was pinned and by which digests. The events cannot tell whether these fit; the content can. */
export function refuseUntrue({ store }: RunContext, { id, pinned_source, source_candidate }: Run): void {
  const sources = [pinned_source, source_candidate?.snapshot].filter((source) => source !== undefined)
  const [problem] = sources.flatMap(findRevisionProblems)
  if (problem === undefined) return
  const path = journalPathOf(store, id)
  throw runJournalInvalid({ run_id: id, path, problem: `the ${problem.path.slice(2)} of its source ${problem.rule}` })
}
