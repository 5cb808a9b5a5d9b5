import type { Run } from '../engine/run.ts'
import { findRun, looking } from './find-run.ts'
import { hasLockFile, lockForReading } from './lock-run.ts'
import { type MaterialReader, readerOf } from './materials.ts'
import { readingJournal } from './open-journal.ts'
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
  const { disk } = store
  const place = findRun(store, runId)
  for (;;) {
    const lock = await lockForReading(store, place)
    try {
      const { run } = looking(runId, () => readingJournal(place, disk, (journal) => replayJournal(journal, disk)))
      const result = await work(run, readerOf(place.path, disk))
      if (lock !== undefined || !hasLockFile(place)) return result
    } finally {
      lock?.release()
    }
  }
}
