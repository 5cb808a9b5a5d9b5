import { readKeptRun } from './kept-run.ts'
import type { OpenJournal } from './open-journal.ts'
import { type Replayed, replayJournal } from './replay-journal.ts'
import type { RunStore } from './run-store.ts'

/** The run that a journal makes, which is read only where nothing beside it says so. */
export function loadRun(journal: OpenJournal, store: RunStore): Replayed {
  const kept = readKeptRun(journal, store)
  return kept === undefined ? replayJournal(journal, store.disk) : { ...kept, tail: { is: 'ended' } }
}
