import { join } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, systemReason } from '../kit/files/disk.ts'
import { runNotFound, runUnavailable } from './faults.ts'
import { findRuns, isRunId, type RunStore } from './run-store.ts'

/** Where a run is kept, and which directory that was when it was found. */
export type RunPlace = { readonly runId: string; readonly path: string; readonly identity: FileIdentity }

/** Finds the directory of a run. A text that cannot be the id of a run names none. */
export function findRun(store: RunStore, runId: string): RunPlace {
  const runs = isRunId(runId) ? findRuns(store) : undefined
  if (runs === undefined) throw runNotFound({ run_id: runId })
  const path = join(runs, runId)
  const found = looking(runId, () => store.disk.lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  if (found === undefined) throw runNotFound({ run_id: runId })
  if (!found.isDirectory()) throw runUnavailable({ run_id: runId, problem: `${path} is a ${fileKind(found)}` })
  return { runId, path, identity: found }
}

/** Whether a file or directory is still the one that it was. */
export function isInPlace(path: string, identity: FileIdentity, disk: Disk): boolean {
  return isSameFile(identity, disk.lstatSync(path, { bigint: true, throwIfNoEntry: false }))
}

/** Looks at a run; what the system has against that becomes `run_unavailable`. */
export function looking<T>(runId: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (error instanceof Fault) throw error
    throw runUnavailable({ run_id: runId, problem: systemReason(error) }, error)
  }
}
