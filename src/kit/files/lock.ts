/**
 * Locks between processes. The kernel drops a lock when its holder dies, however it dies.
 *
 * Node has no flock, but SQLite locks files. The lock file is an empty database to which nothing is ever written; only
 * its lock states are used (https://sqlite.org/lockingv3.html).
 *
 * - Shared: a read transaction holds SHARED. It needs a lock file to read, and creates and changes nothing.
 * - Exclusive: RESERVED, which one writer gets while readers come and go, then EXCLUSIVE, which waits for the readers
 *   to leave. In locking mode EXCLUSIVE a failed attempt at the latter keeps PENDING, which lets no new reader in, so
 *   a stream of readers cannot starve a writer. In that mode a failed attempt at RESERVED would keep SHARED, and two
 *   writers would wait for each other: hence the mode is changed between the two.
 * - The rollback journal is in memory: on disk, a killed holder would leave it behind.
 * - SQLite opens a read-only file without an error and then takes SHARED even when EXCLUSIVE is requested. Setting
 *   `user_version`, which is rolled back, makes it report the error.
 *
 * These are POSIX advisory locks: closing any descriptor of the file drops all locks this process holds on it. SQLite
 * handles that for its own connections, but no other code may open a lock file. `lstat` is safe.
 */
import type { BigIntStats } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Fault, isFault, sqliteErrorCode } from '../fault.ts'
import { lockBusy, lockFileInvalid, lockMissing, lockUnavailable } from '../faults.ts'
import { type Disk, fileKind, isSameFile, realDisk, systemReason } from './disk.ts'
import { ensureEmptyFile } from './write-file.ts'

export type LockMode = 'exclusive' | 'shared'

/** Locks are not re-entrant: a second request for the same file waits, even in the same process. */
export type LockRequest = { path: string; mode: LockMode; waitMs?: number; signal?: AbortSignal | undefined }

/** Held until released. Keep a reference: a lock that is garbage-collected is released. */
export type Lock = Disposable & { release(): void }

const DEFAULT_WAIT_MS = 5_000
const POLL_MS = 25

/** SQLite's result codes (https://sqlite.org/rescode.html); its own messages talk about databases. */
const SQLITE_BUSY = 5
const REASONS: Record<number, string> = {
  8: 'it is not writable',
  10: 'its file system failed or does not support locks',
  14: 'it cannot be opened, perhaps because of its permissions',
  26: 'it is not empty',
}

/** Each step is retried until no other lock blocks it. */
const STEPS: Record<LockMode, readonly string[]> = {
  exclusive: [
    'PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE; PRAGMA user_version = 0; PRAGMA locking_mode = EXCLUSIVE; ROLLBACK',
    'BEGIN EXCLUSIVE',
  ],
  shared: ['BEGIN', 'SELECT 1 FROM sqlite_schema'],
}

/** Runs `work` while holding a lock. */
export async function withLock<T>(request: LockRequest, work: () => T | Promise<T>): Promise<T> {
  const lock = await takeLock(request)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

/** Waits for a lock. Throws `lock_busy` after `waitMs`, or the reason of `signal` if it is aborted. */
export async function takeLock({ path, mode, waitMs = DEFAULT_WAIT_MS, signal }: LockRequest): Promise<Lock> {
  const deadline = performance.now() + waitMs
  for (;;) {
    signal?.throwIfAborted()
    if (mode === 'exclusive') ensureLockFile(path)
    const found = findLockFile(path)
    if (found === undefined) throw lockMissing({ path })
    const connection = await connect({ path, mode })
    try {
      for (const step of STEPS[mode]) {
        const granted = await retry(() => tryStep({ connection, path, step }), { deadline, signal })
        if (!granted) throw lockBusy({ path, waitMs })
      }
      // If the file was removed or replaced meanwhile, another process would lock a different file: start again.
      if (isSameFile(found, findLockFile(path))) return toLock(connection)
    } catch (error) {
      connection.close()
      throw error
    }
    connection.close()
  }
}

/** Like `takeLock`, but undefined if others keep the lock. */
export async function takeIfFree(request: LockRequest): Promise<Lock | undefined> {
  try {
    return await takeLock(request)
  } catch (error) {
    if (isFault(error, lockBusy)) return undefined
    throw error
  }
}

/** A lock that others hold shared counts as free. `problem` says what is wrong, without advice. */
export type LockStatus =
  | { status: 'absent' }
  | { status: 'free' }
  | { status: 'held' }
  | { status: 'unusable'; problem: string }

/** The current status of a lock. Creates and changes nothing, and holds the lock only for the time of the check. */
export async function inspectLock(path: string): Promise<LockStatus> {
  try {
    const lock = await takeLock({ path, mode: 'shared', waitMs: 0 })
    lock.release()
    return { status: 'free' }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === lockMissing.code) return { status: 'absent' }
    return error.code === lockBusy.code ? { status: 'held' } : { status: 'unusable', problem: lockProblem(error) }
  }
}

/** The message would also say what to do for a caller that needs the lock. */
function lockProblem({ details, message }: Fault): string {
  const { problem, reason } = details as { problem?: string; reason?: string }
  return problem ?? reason ?? message
}

function toLock(connection: DatabaseSync): Lock {
  const release = () => {
    if (connection.isOpen) connection.close()
  }
  return { release, [Symbol.dispose]: release }
}

/** Loads `node:sqlite` only here, so that commands without locks do not pay for it. */
async function connect({ path, mode }: { path: string; mode: LockMode }): Promise<DatabaseSync> {
  const sqlite = await import('node:sqlite')
  const url = pathToFileURL(path)
  url.searchParams.set('mode', mode === 'shared' ? 'ro' : 'rw') // neither creates a file
  try {
    return new sqlite.DatabaseSync(url)
  } catch (error) {
    throw toFault({ path, error })
  }
}

/** Tries at least once, until it works or the deadline passes (false). */
async function retry(
  attempt: () => boolean,
  { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
): Promise<boolean> {
  while (!attempt()) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) return false
    await sleep(Math.min(POLL_MS, leftMs), undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
  return true
}

/** Runs one step. Returns false if another lock blocks it. */
function tryStep({ connection, path, step }: { connection: DatabaseSync; path: string; step: string }): boolean {
  try {
    connection.exec(step)
    return true
  } catch (error) {
    if (sqliteErrorCode(error) === SQLITE_BUSY) return false
    throw toFault({ path, error })
  }
}

function toFault({ path, error }: { path: string; error: unknown }): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  return lockUnavailable({ path, reason: REASONS[code] ?? `SQLite error ${code}` }, error)
}

/**
 * The lock file at a path, or undefined if there is none. Refuses anything but an empty regular file. Uses only `lstat`,
 * because opening and closing a lock file would drop the locks that this process holds on it.
 */
export function findLockFile(path: string): BigIntStats | undefined {
  const found = stat(path, realDisk)
  if (found === undefined) return undefined
  if (!found.isFile()) throw lockFileInvalid({ path, problem: `it is a ${fileKind(found)}` })
  if (found.size !== 0n) throw lockFileInvalid({ path, problem: 'it is not empty' })
  return found
}

/** Creates a lock file unless it exists. SQLite would create it with a mode that depends on the umask. */
export function ensureLockFile(path: string, disk: Disk = realDisk): void {
  if (stat(path, disk) === undefined) ensureEmptyFile(path, disk)
}

function stat(path: string, disk: Disk): BigIntStats | undefined {
  try {
    return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw lockUnavailable({ path, reason: systemReason(error) }, error)
  }
}
