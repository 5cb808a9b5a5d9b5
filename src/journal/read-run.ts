import type { Action } from '../contract/action.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { issuedBy } from '../engine/to-run-status.ts'
import { type MaterialReader, materialReader } from './materials.ts'
import { type OpenJournal, withJournal } from './open-journal.ts'
import { type Replayed, readFirstRecord, replayJournal } from './replay-journal.ts'
import { type JournalStamp, readRunSnapshot } from './run-snapshot.ts'
import { findRun, hasLockFile, lockForReading, type RunStore, wrapReadErrors } from './run-store.ts'

/** A run, and the stamp that its journal had before anything was read. */
export type LoadedRun = Replayed & { readonly stamp: JournalStamp }

/** Loads the run of an open journal: from its snapshot if that is current, else from the journal. */
export function loadRun(journal: OpenJournal, store: RunStore): LoadedRun {
  const stamp = store.disk.fstatSync(journal.descriptor, { bigint: true })
  const snapshot = readRunSnapshot(journal, stamp, store)
  const replayed: Replayed = snapshot ? { ...snapshot, tail: { is: 'complete' } } : replayJournal(journal, store.disk)
  return { ...replayed, stamp }
}

export type RunHeader = Pick<Run, 'id' | 'goal' | 'workspace_identity' | 'created_at'>

/** Reads the first record only. It locks, creates and repairs nothing. */
export function readRunHeader(store: RunStore, runId: string): RunHeader {
  const { id, goal, workspace_identity, created_at } = readUnlocked(store, runId, (journal) =>
    readFirstRecord(journal, store.disk),
  )
  return { id, goal, workspace_identity, created_at }
}

/** Reads the state of a run without a lock, so it may be out of date when this returns. */
export function readRunState(store: RunStore, runId: string): Run['state'] {
  return readUnlocked(store, runId, (journal) => loadRun(journal, store).run).state
}

function readUnlocked(store: RunStore, runId: string, read: (journal: OpenJournal) => Run): Run {
  const directory = findRun(store, runId)
  return wrapReadErrors(runId, () => withJournal(directory, store.disk, read))
}

/**
 * Reads a run, which cannot change during `work`. Creates and repairs nothing: a torn tail is ignored. If there is no lock
 * file and a writer creates one meanwhile, reading and `work` are repeated.
 */
export async function readRun<T>(
  store: RunStore,
  runId: string,
  work: (run: Run, materials: MaterialReader) => T | Promise<T>,
): Promise<T> {
  const read = (journal: OpenJournal) => loadRun(journal, store).run
  return await readLocked(store, runId, { read, work: (run, path) => work(run, materialReader(path, store.disk)) })
}

/** Like `readRun`, with the full text of every action, for which the whole journal is read. */
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
  return await readLocked(store, runId, { read, work: ({ run, issued }) => work(run, issued) })
}

type LockedRead<R, T> = {
  readonly read: (journal: OpenJournal) => R
  readonly work: (found: R, path: string) => T | Promise<T>
}

async function readLocked<R, T>(store: RunStore, runId: string, { read, work }: LockedRead<R, T>): Promise<T> {
  const directory = findRun(store, runId)
  for (;;) {
    const lock = await lockForReading(store, directory)
    try {
      const found = wrapReadErrors(runId, () => withJournal(directory, store.disk, read))
      const result = await work(found, directory.path)
      if (lock !== undefined || !hasLockFile(directory)) return result
    } finally {
      lock?.release()
    }
  }
}
