import { Fault } from '../kit/fault.ts'
import { lockBusy, lockMissing } from '../kit/faults.ts'
import { ensureLockFile, findLockFile, type Lock, takeLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { runBusy, runUnavailable } from './faults.ts'
import type { Mutation } from './mutation.ts'
import { lockPathIn, type RunDirectory, type RunStore } from './run-store.ts'

/** Locks a run exclusively. */
export async function lockForChange(
  { disk, lockWaitMs, signal }: RunStore,
  directory: RunDirectory,
  mutation: Mutation,
): Promise<Lock> {
  const path = lockPathIn(directory.path)
  mutation.step('lock_open', () => {
    ensurePrivateDirectory({ path: directory.path }, disk)
    ensureLockFile(path, disk)
  })
  return await takeLock({ path, mode: 'exclusive', waitMs: lockWaitMs, signal }).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error
    if (error.code !== lockBusy.code) throw mutation.failure('lock_open', error.message, error)
    throw runBusy({ run_id: directory.runId, waitMs: lockWaitMs, details: mutation.details('lock_open') }, error)
  })
}

/** Locks a run against writers; undefined if there is no lock file, which every writer creates before it writes. */
export async function lockForReading(
  { lockWaitMs, signal }: RunStore,
  { runId, path }: RunDirectory,
): Promise<Lock | undefined> {
  try {
    return await takeLock({ path: lockPathIn(path), mode: 'shared', waitMs: lockWaitMs, signal })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === lockMissing.code) return undefined
    if (error.code === lockBusy.code) throw runBusy({ run_id: runId, waitMs: lockWaitMs }, error)
    throw unusable(runId, error)
  }
}

/** Whether a writer may have come since `lockForReading` found no lock file. */
export function hasLockFile({ runId, path }: RunDirectory): boolean {
  try {
    return findLockFile(lockPathIn(path)) !== undefined
  } catch (error) {
    throw error instanceof Fault ? unusable(runId, error) : error
  }
}

function unusable(runId: string, cause: Fault): Fault {
  return runUnavailable({ run_id: runId, problem: cause.message }, cause)
}
