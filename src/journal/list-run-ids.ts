import { readdirSync } from 'node:fs'
import { systemReason } from '../kit/files/disk.ts'
import { compareBytes } from '../kit/utf8.ts'
import { runstoreUnavailable } from './faults.ts'
import { findRuns, isRunId, type RunStore } from './run-store.ts'

/** Everything in the store that has the name of a run, whatever it is: reading it tells what is wrong with it. */
export function listRunIds(store: RunStore): string[] {
  const path = findRuns(store)
  if (path === undefined) return []
  try {
    return readdirSync(path).filter(isRunId).toSorted(compareBytes)
  } catch (error) {
    throw runstoreUnavailable({ path, problem: systemReason(error) }, error)
  }
}
