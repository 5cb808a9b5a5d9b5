import { join } from 'node:path'
import { Fault, isFault } from '../kit/fault.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, systemReason } from '../kit/files/disk.ts'
import { runNotFound, runUnavailable } from './faults.ts'
import { findRunsDirectory, isRunId, type RunStore } from './run-store.ts'

/** The directory of a run, and its identity when it was found. */
export type RunDirectory = { readonly runId: string; readonly path: string; readonly identity: FileIdentity }

/** Finds the directory of a run. An invalid run id is not found. */
export function findRun(store: RunStore, runId: string): RunDirectory {
  const runs = isRunId(runId) ? findRunsDirectory(store) : undefined
  if (runs === undefined) throw runNotFound({ run_id: runId })
  const path = join(runs, runId)
  const found = wrapReadErrors(runId, () => store.disk.lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  if (found === undefined) throw runNotFound({ run_id: runId })
  if (!found.isDirectory()) throw runUnavailable({ run_id: runId, problem: `${path} is a ${fileKind(found)}` })
  return { runId, path, identity: found }
}

export function hasRun(store: RunStore, runId: string): boolean {
  try {
    findRun(store, runId)
    return true
  } catch (error) {
    if (isFault(error, runNotFound)) return false
    throw error
  }
}

/** Whether the path still leads to the same file or directory. */
export function isInPlace(path: string, identity: FileIdentity, disk: Disk): boolean {
  return isSameFile(identity, disk.lstatSync(path, { bigint: true, throwIfNoEntry: false }))
}

/** Turns system errors into `run_unavailable`. */
export function wrapReadErrors<T>(runId: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault) throw error
    throw runUnavailable({ run_id: runId, problem: systemReason(error) }, error)
  }
}
