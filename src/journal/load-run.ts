import type { OpenJournal } from './open-journal.ts'
import { type Replayed, replayJournal } from './replay-journal.ts'
import { readRunSnapshot } from './run-snapshot.ts'
import type { RunStore } from './run-store.ts'
import type { JournalStamp } from './snapshot-format.ts'

/** A run, and what the system said of its journal before anything was read. */
export type Loaded = Replayed & { readonly stamp: JournalStamp }

/** The run that a journal makes, which is read only where nothing beside it says so. */
export function loadRun(journal: OpenJournal, store: RunStore): Loaded {
  const stamp = store.disk.fstatSync(journal.descriptor, { bigint: true })
  const kept = readRunSnapshot(journal, stamp, store)
  const replayed: Replayed = kept ? { ...kept, tail: { is: 'ended' } } : replayJournal(journal, store.disk)
  return { ...replayed, stamp }
}
