import { readKeptRun } from './kept-run.ts'
import type { OpenJournal } from './open-journal.ts'
import { type Replayed, replayJournal } from './replay-journal.ts'
import type { JournalStamp } from './run-file.ts'
import type { RunStore } from './run-store.ts'

/** A run, and what the system said of its journal before anything was read. */
export type Loaded = Replayed & { readonly stamp: JournalStamp }

/** The run that a journal makes, which is read only where nothing beside it says so. */
export function loadRun(journal: OpenJournal, store: RunStore): Loaded {
  const stamp = store.disk.fstatSync(journal.descriptor, { bigint: true })
  const kept = readKeptRun(journal, stamp, store)
  const replayed: Replayed = kept ? { ...kept, tail: { is: 'ended' } } : replayJournal(journal, store.disk)
  return { ...replayed, stamp }
}
