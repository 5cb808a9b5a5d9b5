/** What can be told of a run without waiting for those who work on it: nothing is locked, created or repaired. */
import type { Run } from '../engine/state/run.ts'
import { findRun, looking } from './find-run.ts'
import { loadRun } from './load-run.ts'
import { type OpenJournal, readingJournal } from './open-journal.ts'
import { readBeginning } from './replay-journal.ts'
import type { RunStore } from './run-store.ts'

export type RunHeader = Pick<Run, 'id' | 'goal' | 'workspace_identity' | 'created_at'>

/** Whose run it is, what it is for and when it began, by its first record alone. */
export function readRunHeader(store: RunStore, runId: string): RunHeader {
  const { id, goal, workspace_identity, created_at } = scan(store, runId, (journal) =>
    readBeginning(journal, store.disk),
  )
  return { id, goal, workspace_identity, created_at }
}

/** Where a run stands, which may have changed by the time that this returns. */
export function scanRunState(store: RunStore, runId: string): Run['state'] {
  return scan(store, runId, (journal) => loadRun(journal, store).run).state
}

function scan(store: RunStore, runId: string, read: (journal: OpenJournal) => Run): Run {
  const place = findRun(store, runId)
  return looking(runId, () => readingJournal(place, store.disk, read))
}
