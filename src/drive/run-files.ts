import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { drivePathIn, type RunStore, toJournalPath } from '../journal/run-store.ts'

/** Whether a file of the run was written since then. A repository may have thousands of runs, and a night has few. */
export function hasChanged(store: RunStore, id: string, since: string): boolean {
  const journal = toJournalPath(store, id)
  return [journal, drivePathIn(dirname(journal))].some((path) => {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    return written >= Date.parse(since)
  })
}
