import type { Action } from '../contract/action.shape.ts'
import type { Run } from '../engine/run.ts'
import { runJournalInvalid } from '../journal/faults.ts'
import type { MaterialReader } from '../journal/materials.ts'
import { readRunHeader } from '../journal/read-header.ts'
import { readRun, readWholeRun } from '../journal/read-run.ts'
import { journalPathOf } from '../journal/run-store.ts'
import { findRevisionProblems } from '../source/verify-pinned-source.ts'
import { interruptible } from './interruptible.ts'
import { refuseForeign } from './own-workspace.ts'
import type { Worksite } from './worksite.ts'

/** Reads a run of this worktree. It cannot change while `work` looks at it; `work` may be done twice. */
export async function openRun<T>(
  site: Worksite,
  runId: string,
  work: (run: Run, materials: MaterialReader) => T,
): Promise<T> {
  refuseOthers(site, runId)
  return await interruptible(site, () => readRun(site.store, runId, checked(site, work)))
}

/** The same with every action as it was issued, which takes longer. */
export async function openWholeRun<T>(
  site: Worksite,
  runId: string,
  work: (run: Run, issued: readonly Action[]) => T,
): Promise<T> {
  refuseOthers(site, runId)
  return await interruptible(site, () => readWholeRun(site.store, runId, checked(site, work)))
}

function checked<More, T>(site: Worksite, work: (run: Run, more: More) => T): (run: Run, more: More) => T {
  return (run, more) => {
    site.signal.throwIfAborted()
    refuseUntrue(site, run)
    return work(run, more)
  }
}

/** Whose run it is can be told without waiting for anybody who works on it. */
export function refuseOthers(site: Worksite, runId: string): void {
  refuseForeign(site, readRunHeader(site.store, runId))
}

/** A journal says what was pinned and by which digests. The events cannot tell whether these fit; the content can. */
export function refuseUntrue({ store }: Worksite, { id, pinned_source, source_candidate }: Run): void {
  const sources = [pinned_source, source_candidate?.snapshot].filter((source) => source !== undefined)
  const [problem] = sources.flatMap(findRevisionProblems)
  if (problem === undefined) return
  const path = journalPathOf(store, id)
  throw runJournalInvalid({ run_id: id, path, problem: `the ${problem.path.slice(2)} of its source ${problem.rule}` })
}
