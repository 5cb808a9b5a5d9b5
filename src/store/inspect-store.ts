/** Inspects the session file without changing it: creates no file, migrates nothing, changes no mode. */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, Fault } from '../kit/fault.ts'
import { fileKind, isOpenToOthers, systemReason } from '../kit/files/disk.ts'
import { inspectLock } from '../kit/files/lock.ts'
import { openUnchanged, readSchemaVersion, type StoreDatabase } from './database.ts'
import { sessionStoreInvalid, sessionStoreUnavailable } from './faults.ts'
import { MIGRATIONS } from './migrations.ts'
import { LOCK_FILE, toOwnersDirectory } from './owners.ts'
import { answer } from './sql.ts'

export type StoreInspection = {
  /** Undefined if there is no session file yet. */
  store: FoundStore | undefined
  /** How many processes have a lock file: those that run turns, and those that died while they did. */
  owners: { alive: number; dead: number }
}

type FoundStore = {
  bytes: number
  sessions: number
  /** Its schema version; opening it migrates it to `known`. */
  form: number
  known: number
  /** The damage that SQLite found; undefined if the file is too large to check. */
  damage: readonly string[] | undefined
  /** Whether other users may access it. */
  isExposed: boolean
}

/** Checking a file of this size takes about two seconds and blocks the process. */
const CHECKED_BYTES = 256 * 1024 * 1024
const SHOWN_DAMAGE = 3
const WAIT_MS = 1_000

/** Throws the same fault as opening the store would. */
export async function inspectStore(path: string): Promise<StoreInspection> {
  const [store, owners] = await Promise.all([inspectFile(path), countOwners(toOwnersDirectory(path))])
  return { store, owners }
}

async function inspectFile(path: string): Promise<FoundStore | undefined> {
  const found = statFile(path)
  if (found === undefined) return undefined
  if (!found.isFile()) throw sessionStoreInvalid({ path, problem: `it is a ${fileKind(found)}` })
  const bytes = Number(found.size + (statFile(`${path}-wal`)?.size ?? 0n))
  const facts = await readFacts({ path, isChecked: bytes <= CHECKED_BYTES })
  return { ...facts, bytes, isExposed: isOpenToOthers(found) }
}

function statFile(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw sessionStoreUnavailable({ path, reason: systemReason(error) }, error)
  }
}

type FactsRequest = { path: string; isChecked: boolean }

/**
 * A file that no process has open is read as immutable, because SQLite would otherwise leave files beside it. If another
 * process opens it meanwhile, it may look damaged; then it is read again as a file in use.
 */
async function readFacts(request: FactsRequest) {
  const isInUse = () => statFile(`${request.path}-wal`) !== undefined
  if (isInUse()) return await readAs('read', request)
  try {
    const facts = await readAs('immutable', request)
    if (facts.damage?.length !== 0 && isInUse()) return await readAs('read', request)
    return facts
  } catch (error) {
    if (!(error instanceof Fault) || !isInUse()) throw error
    return await readAs('read', request)
  }
}

async function readAs(access: 'read' | 'immutable', { path, isChecked }: FactsRequest) {
  const database = await openUnchanged(path, { access, waitMs: WAIT_MS })
  try {
    return await database.read(() => answer(readFrom(database, isChecked)))
  } finally {
    database.close()
  }
}

function readFrom(database: StoreDatabase, isChecked: boolean) {
  const form = readSchemaVersion(database, MIGRATIONS.length)
  const damage = isChecked ? findDamage(database) : undefined
  return { form, known: MIGRATIONS.length, damage, sessions: form === 0 ? 0 : countSessions(database) }
}

/** https://sqlite.org/pragma.html#pragma_quick_check: the one row `ok`, or rows with a line for each thing that is wrong. */
export function findDamage(
  database: StoreDatabase,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): string[] {
  const rows = database.all(`PRAGMA ${check}(${SHOWN_DAMAGE})`)
  const lines = rows.flatMap((row) => String(row[check]).split('\n'))
  const isHeading = (line: string) => line.startsWith('***')
  return lines.filter((line) => line !== 'ok' && !isHeading(line))
}

function countSessions(database: StoreDatabase): number {
  return Number(database.get('SELECT count(*) AS count FROM sessions')?.['count'])
}

/** How many processes have a lock file in this directory. */
export async function countOwners(directory: string): Promise<StoreInspection['owners']> {
  const states = await Promise.all(lockFilesIn(directory).map((file) => inspectLock(join(directory, file))))
  const count = (state: 'held' | 'free') => states.filter(({ status }) => status === state).length
  return { alive: count('held'), dead: count('free') }
}

function lockFilesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((file) => LOCK_FILE.test(file))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw sessionStoreUnavailable({ path: directory, reason: systemReason(error) }, error)
  }
}
