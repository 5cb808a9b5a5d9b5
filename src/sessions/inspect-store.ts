/** Looks at the file of the sessions without changing anything: no file, no form, no mode. */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorCode, Fault } from '../kit/fault.ts'
import { fileKind, systemReason } from '../kit/files/disk.ts'
import { inspectLock } from '../kit/files/lock.ts'
import { SessionDatabase, schemaVersionOf } from './database.ts'
import { sessionStoreInvalid, sessionStoreUnavailable } from './faults.ts'
import { MIGRATIONS } from './migrations.ts'
import { LOCK_FILE, ownersDirectoryOf } from './owners.ts'
import { toStoreFault } from './store-errors.ts'

export type StoreInspection = {
  /** Undefined when there is none yet. */
  store: FoundStore | undefined
  /** How many processes have a lock file there: those that work on sessions, and those that died at it. */
  owners: { alive: number; dead: number }
}

type FoundStore = {
  bytes: number
  sessions: number
  /** How many changes of form it has been through; opening it brings it to `known`. */
  form: number
  known: number
  /** What SQLite finds wrong with it; undefined when it is too large to be read through. */
  damage: readonly string[] | undefined
  /** Whether users other than the owner may read it. */
  isExposed: boolean
}

/** Reading through so much takes two seconds or so, and nothing else of this process happens meanwhile. */
const READ_THROUGH_BYTES = 256 * 1024 * 1024
const SHOWN_DAMAGE = 3
const WAIT_MS = 1_000

/** Throws the fault that whoever uses the sessions would get. */
export async function inspectStore(path: string): Promise<StoreInspection> {
  const [store, owners] = await Promise.all([inspectFile(path), countOwners(ownersDirectoryOf(path))])
  return { store, owners }
}

async function inspectFile(path: string): Promise<FoundStore | undefined> {
  const found = look(path)
  if (found === undefined) return undefined
  if (!found.isFile()) throw sessionStoreInvalid({ path, problem: `it is a ${fileKind(found)}` })
  const bytes = Number(found.size + (look(`${path}-wal`)?.size ?? 0n))
  const facts = await readFacts({ path, isReadThrough: bytes <= READ_THROUGH_BYTES })
  return { ...facts, bytes, isExposed: process.platform !== 'win32' && (found.mode & 0o077n) !== 0n }
}

function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw sessionStoreUnavailable({ path, reason: systemReason(error) }, error)
  }
}

type Reading = { path: string; isReadThrough: boolean }

/**
 * A file that nobody has open is all there is, and is read as one that cannot change, because SQLite would otherwise
 * leave files beside it. Whoever opens it meanwhile may make it look damaged; then it is read again, as one in use.
 */
async function readFacts(reading: Reading) {
  const isInUse = () => look(`${reading.path}-wal`) !== undefined
  if (isInUse()) return await readAs('mode=ro', reading)
  try {
    const facts = await readAs('immutable=1', reading)
    if (facts.damage?.length !== 0 && isInUse()) return await readAs('mode=ro', reading)
    return facts
  } catch (error) {
    if (!(error instanceof Fault) || !isInUse()) throw error
    return await readAs('mode=ro', reading)
  }
}

async function readAs(manner: 'mode=ro' | 'immutable=1', { path, isReadThrough }: Reading) {
  const sqlite = await import('node:sqlite')
  const url = pathToFileURL(path)
  url.search = manner
  try {
    const database = new SessionDatabase(new sqlite.DatabaseSync(url, { readOnly: true }), { path, waitMs: WAIT_MS })
    try {
      return await database.read(() => {
        const form = schemaVersionOf(database, MIGRATIONS.length)
        const damage = isReadThrough ? findDamage(database) : undefined
        return { form, known: MIGRATIONS.length, damage, sessions: form === 0 ? 0 : countSessions(database) }
      })
    } finally {
      database.close()
    }
  } catch (error) {
    throw toStoreFault(path, error)
  }
}

/** https://sqlite.org/pragma.html#pragma_quick_check: the one row `ok`, or rows with a line for each thing that is wrong. */
function findDamage(database: SessionDatabase): string[] {
  const rows = database.all(`PRAGMA quick_check(${SHOWN_DAMAGE})`)
  const lines = rows.flatMap((row) => String(row['quick_check']).split('\n'))
  const isHeading = (line: string) => line.startsWith('***')
  return lines.filter((line) => line !== 'ok' && !isHeading(line))
}

function countSessions(database: SessionDatabase): number {
  return Number(database.get('SELECT count(*) AS count FROM sessions')?.['count'])
}

async function countOwners(directory: string): Promise<StoreInspection['owners']> {
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
