import { Fault } from '../kit/fault.ts'
import { lockBusy, lockMissing } from '../kit/faults.ts'
import { type Lock, takeLock } from '../kit/files/lock.ts'
import { ensureLockFile, findLockFile } from '../kit/files/lock-file.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { runBusy, runUnavailable } from './faults.ts'
import type { RunPlace } from './find-run.ts'
import type { Mutation } from './mutation.ts'
import { lockIn, type RunStore } from './run-store.ts'

/** Keeps everybody else out of a run. */
export async function lockForChange(
  { disk, lockWaitMs, signal }: RunStore,
  place: RunPlace,
  mutation: Mutation,
): Promise<Lock> {
  const path = lockIn(place.path)
  mutation.step('lock_open', () => {
    ensurePrivateDirectory({ path: place.path }, disk)
    ensureLockFile(path, disk)
  })
  return await takeLock({ path, mode: 'exclusive', waitMs: lockWaitMs, signal }).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error
    if (error.code !== lockBusy.code) throw mutation.failure('lock_open', error.message, error)
    throw runBusy({ run_id: place.runId, waitMs: lockWaitMs, details: mutation.details('lock_open') }, error)
  })
}

/** Keeps writers out of a run; undefined where there is no lock file, which every writer makes before it writes. */
export async function lockForReading(
  { lockWaitMs, signal }: RunStore,
  { runId, path }: RunPlace,
): Promise<Lock | undefined> {
  try {
    return await takeLock({ path: lockIn(path), mode: 'shared', waitMs: lockWaitMs, signal })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === lockMissing.code) return undefined
    if (error.code === lockBusy.code) throw runBusy({ run_id: runId, waitMs: lockWaitMs }, error)
    throw unusable(runId, error)
  }
}

/** Whether somebody may have written since `lockForReading` found no lock file. */
export function hasLockFile({ runId, path }: RunPlace): boolean {
  try {
    return findLockFile(lockIn(path)) !== undefined
  } catch (error) {
    throw error instanceof Fault ? unusable(runId, error) : error
  }
}

function unusable(runId: string, cause: Fault): Fault {
  return runUnavailable({ run_id: runId, problem: cause.message }, cause)
}
