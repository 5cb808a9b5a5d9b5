import type { Action } from '../contract/action.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { issuedBy } from '../engine/to-run-status.ts'
import { findRun, looking } from './find-run.ts'
import { loadRun } from './load-run.ts'
import { hasLockFile, lockForReading } from './lock-run.ts'
import { type MaterialReader, readerOf } from './materials.ts'
import { type OpenJournal, readingJournal } from './open-journal.ts'
import { replayJournal } from './replay-journal.ts'
import type { RunStore } from './run-store.ts'

/**
 * Reads a run, which cannot change until `work` is done with it. Creates and repairs nothing: a torn tail is passed over.
 * Where the lock file is missing, and a writer comes and makes one, everything is done once more.
 */
export async function readRun<T>(
  store: RunStore,
  runId: string,
  work: (run: Run, materials: MaterialReader) => T | Promise<T>,
): Promise<T> {
  const read = (journal: OpenJournal) => loadRun(journal, store).run
  return await reading(store, runId, { read, work: (run, path) => work(run, readerOf(path, store.disk)) })
}

/** The same with every action as it was issued, for which the whole journal is read. */
export async function readWholeRun<T>(
  store: RunStore,
  runId: string,
  work: (run: Run, issued: readonly Action[]) => T | Promise<T>,
): Promise<T> {
  const read = (journal: OpenJournal) => {
    const issued: Action[] = []
    const { run } = replayJournal(journal, store.disk, (event) => issued.push(...issuedBy(event)))
    return { run, issued }
  }
  return await reading(store, runId, { read, work: ({ run, issued }) => work(run, issued) })
}

type Reading<R, T> = {
  readonly read: (journal: OpenJournal) => R
  readonly work: (found: R, path: string) => T | Promise<T>
}

async function reading<R, T>(store: RunStore, runId: string, { read, work }: Reading<R, T>): Promise<T> {
  const place = findRun(store, runId)
  for (;;) {
    const lock = await lockForReading(store, place)
    try {
      const found = looking(runId, () => readingJournal(place, store.disk, read))
      const result = await work(found, place.path)
      if (lock !== undefined || !hasLockFile(place)) return result
    } finally {
      lock?.release()
    }
  }
}
