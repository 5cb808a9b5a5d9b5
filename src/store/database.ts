/** Opens and migrates the session file, and runs transactions that wait for each other. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type FileIdentity, isSameFile } from '../kit/files/disk.ts'
import { sessionStoreBusy, sessionStoreInvalid, sessionStoreNewer, sessionStoreUnavailable } from './faults.ts'
import { WriteGroup } from './group-writes.ts'
import { MIGRATIONS } from './migrations.ts'
import { isBusy, toStoreFault } from './store-errors.ts'
import { ensureStoreFile, findStoreFile, requireFreeSpace } from './store-file.ts'

type ConnectionOptions = Pick<DatabaseOptions, 'path' | 'waitMs'> & {
  /** The file that must stay at the path; undefined: not checked. */
  file?: FileIdentity | undefined
}

export type Row = Record<string, SQLOutputValue>

export type DatabaseOptions = {
  path: string
  /** How long to wait while another process has the file locked. */
  waitMs?: number | undefined
  migrations?: readonly string[]
}

/** Identifies a session file of drover: "drov". */
const APPLICATION_ID = 0x64726f76
/** SQLite blocks the process while it waits, so it waits only briefly; then the event loop runs. */
const SQLITE_WAIT_MS = 20
const POLL_MS = 10
const DEFAULT_WAIT_MS = 5_000

/** Opens the file, or creates it. Refuses a file of another kind without changing it. */
export async function openDatabase(options: DatabaseOptions): Promise<StoreDatabase> {
  const { path, migrations = MIGRATIONS } = options
  ensureStoreFile(path)
  const database = new StoreDatabase(await connect(path), { ...options, file: findStoreFile(path) })
  try {
    // Checked first, because the next steps change the file.
    const version = await database.read(() => readSchemaVersion(database, migrations.length))
    await database.prepare()
    if (version < migrations.length) await database.write(() => migrate(database, migrations))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Loads `node:sqlite` only here, so that commands without sessions do not pay for it. */
async function connect(path: string): Promise<DatabaseSync> {
  const sqlite = await import('node:sqlite')
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw') // creates no file
  try {
    return new sqlite.DatabaseSync(url, { timeout: SQLITE_WAIT_MS })
  } catch (error) {
    throw toStoreFault(path, error)
  }
}

/** The number of migrations that the file has been through; 0 for an empty file. */
export function readSchemaVersion(database: StoreDatabase, known: number): number {
  const { path } = database
  const number = (pragma: string) => Number(database.get(`PRAGMA ${pragma}`)?.[pragma])
  const [version, application] = [number('user_version'), number('application_id')]
  const isEmpty = version === 0 && application === 0 && database.get('SELECT 1 FROM sqlite_schema') === undefined
  if (isEmpty) return 0
  if (application !== APPLICATION_ID)
    throw sessionStoreInvalid({ path, problem: 'it is a database of another program' })
  if (version > known) throw sessionStoreNewer({ path, version, known })
  return version
}

/** Reads the version again, because another process may have migrated the file meanwhile. */
function migrate(database: StoreDatabase, migrations: readonly string[]): void {
  for (const step of migrations.slice(readSchemaVersion(database, migrations.length))) database.exec(step)
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`)
}

export class StoreDatabase {
  readonly path: string
  readonly #waitMs: number
  readonly #file: FileIdentity | undefined
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #writes = new WriteGroup((work) => this.#transact('BEGIN IMMEDIATE', work))

  constructor(connection: DatabaseSync, { path, waitMs = DEFAULT_WAIT_MS, file }: ConnectionOptions) {
    this.path = path
    this.#waitMs = waitMs
    this.#file = file
    this.#connection = connection
  }

  /** With WAL, readers and a writer do not block each other. Deleted content is overwritten with zeros. */
  async prepare(): Promise<void> {
    await this.#retry(this.#waitMs, () => {
      this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
    })
  }

  /** Runs `work` on a consistent snapshot. It may run several times and must be synchronous. */
  read<T>(work: () => T): Promise<T> {
    return this.#retry(this.#waitMs, () => this.#transact('BEGIN', work))
  }

  /** Runs `work` in a durable transaction, or throws and changes nothing. It may run several times and must be synchronous. */
  write<T>(work: () => T, { waitMs = this.#waitMs } = {}): Promise<T> {
    return this.#writes.add(work, () => this.#retry(waitMs, () => this.#transact('BEGIN IMMEDIATE', work)))
  }

  /** Commits a write that changes nothing, or throws. */
  checkWritable({ waitMs }: { waitMs: number }): Promise<void> {
    return this.write(
      () => {
        requireFreeSpace(this.path)
        this.exec(`PRAGMA user_version = ${Number(this.get('PRAGMA user_version')?.['user_version'])}`)
      },
      { waitMs },
    )
  }

  /**
   * The same without waiting for the disk: the transaction survives the death of this process, but a power failure may
   * undo the latest ones.
   */
  writeUnsynced<T>(work: () => T, { waitMs = this.#waitMs } = {}): Promise<T> {
    return this.#retry(waitMs, () => {
      this.exec('PRAGMA synchronous = NORMAL')
      try {
        return this.#transact('BEGIN IMMEDIATE', work)
      } finally {
        this.exec('PRAGMA synchronous = FULL')
      }
    })
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values)
  }

  /** Returns the number of the row that it added last. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid)
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #transact<T>(begin: string, work: () => T): T {
    // SQLite would keep using the removed file, and lose everything that it writes.
    if (this.#file !== undefined && !isSameFile(this.#file, findStoreFile(this.path))) {
      throw sessionStoreUnavailable({
        path: this.path,
        reason: 'it was removed or replaced while drover used it (put it back, or restart drover)',
      })
    }
    this.exec(begin)
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (error) {
      // After some errors SQLite has rolled back by itself.
      if (this.#connection.isTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  /** Tries at least once, until no other process has the file locked. */
  async #retry<T>(waitMs: number, attempt: () => T): Promise<T> {
    const deadline = performance.now() + waitMs
    for (;;) {
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error)) throw toStoreFault(this.path, error)
        if (performance.now() >= deadline) throw sessionStoreBusy({ path: this.path, waitMs }, error)
      }
      await sleep(POLL_MS)
    }
  }
}
