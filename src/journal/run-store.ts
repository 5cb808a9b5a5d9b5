/**
 * The directory with the runs of a repository, which all its worktrees share:
 *
 *     <git common dir>/drover/runs/<run id>/journal.jsonl      the events of the run, see hash-chain.ts
 *                                           drive.jsonl        what drover did to drive the run, in the same format
 *                                           drive.lock         an empty file that its driver locks, see attempt-beat.ts
 *                                           drive.stop         an empty file: a person wants the driver to leave the pull request
 *                                           drive.kept.jsonl   what the driver had recorded, if drive.jsonl was tampered with
 *                                           repository*.json   the repository before an attempt, see repository-state.ts
 *                                           run.json           a snapshot of the run, see run-snapshot.ts
 *                                           run.lock           an empty file that processes lock
 *                                           materials/<hex>    section texts, named by their digests
 *
 * All of it is readable by its owner only, and symbolic links are refused at every level.
 */
import { type BigIntStats, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, isFault } from '../kit/fault.ts'
import { lockBusy, lockMissing } from '../kit/faults.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, realDisk, systemReason } from '../kit/files/disk.ts'
import { ensureLockFile, findLockFile, type Lock, takeLock } from '../kit/files/lock.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { compareBytes } from '../kit/utf8.ts'
import { runBusy, runNotFound, runstoreUnavailable, runUnavailable } from './faults.ts'
import type { Mutation } from './mutation.ts'

const DEFAULT_LOCK_WAIT_MS = 5_000
const RUN_ID = /^[A-Za-z0-9_-]{1,128}$/

export type RunStore = {
  readonly gitCommonDir: string
  readonly disk: Disk
  /** The version of drover, which snapshots depend on. Without it, snapshots are neither read nor written. */
  readonly version?: string | undefined
  /** How long to wait for the lock of a run. */
  readonly lockWaitMs: number
  /** Aborts the wait for a lock. */
  readonly signal?: AbortSignal | undefined
}

/** The directory is created with the first run. `gitCommonDir` must be absolute and free of symbolic links. */
export function openRunStore(options: Pick<RunStore, 'gitCommonDir'> & Partial<RunStore>): RunStore {
  return { disk: realDisk, lockWaitMs: DEFAULT_LOCK_WAIT_MS, ...options }
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text)
}

/** The files of a run in its directory. */
export const journalPathIn = (directory: string): string => join(directory, 'journal.jsonl')
export const snapshotPathIn = (directory: string): string => join(directory, 'run.json')
export const lockPathIn = (directory: string): string => join(directory, 'run.lock')
export const drivePathIn = (directory: string): string => join(directory, 'drive.jsonl')
export const keptDrivePathIn = (directory: string): string => join(directory, 'drive.kept.jsonl')
export const driveStopPathIn = (directory: string): string => join(directory, 'drive.stop')
export const driveLockPathIn = (directory: string): string => join(directory, 'drive.lock')
export const materialsPathIn = (directory: string): string => join(directory, 'materials')

/** The path of the journal of a run, which need not exist. */
export function toJournalPath(store: RunStore, runId: string): string {
  return journalPathIn(join(levels(store)[1], runId))
}

/** The directories that drover creates, outermost first. */
function levels({ gitCommonDir }: RunStore): [outer: string, runs: string] {
  const outer = join(gitCommonDir, 'drover')
  return [outer, join(outer, 'runs')]
}

/** The directory of the runs, or undefined if no run was ever created. */
function findRunsDirectory(store: RunStore): string | undefined {
  const [outer, runs] = levels(store)
  return [outer, runs].every((path) => isDirectory(path, store.disk)) ? runs : undefined
}

/** The directory of the runs, created if it is missing. */
export function ensureRunsDirectory(store: RunStore): string {
  const [outer, runs] = levels(store)
  try {
    for (const path of [outer, runs]) ensurePrivateDirectory({ path }, store.disk)
    return runs
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw runstoreUnavailable({ path: runs, problem: error.message }, error)
  }
}

function isDirectory(path: string, disk: Disk): boolean {
  const found = lstat(path, disk)
  if (found === undefined) return false
  if (!found.isDirectory()) throw runstoreUnavailable({ path, problem: `it is a ${fileKind(found)}` })
  return true
}

function lstat(path: string, disk: Disk): BigIntStats | undefined {
  try {
    return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw runstoreUnavailable({ path, problem: systemReason(error) }, error)
  }
}

/** Every entry that is named like a run. Reading it tells whether it is one. */
export function listRunIds(store: RunStore): string[] {
  const path = findRunsDirectory(store)
  if (path === undefined) return []
  try {
    return readdirSync(path).filter(isRunId).toSorted(compareBytes)
  } catch (error) {
    throw runstoreUnavailable({ path, problem: systemReason(error) }, error)
  }
}

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
