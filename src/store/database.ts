/** Opens and migrates the session file, and runs transactions that wait for each other. */
import type { BackupProgressInfo, DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type FileIdentity, isSameFile } from '../kit/files/disk.ts'
import { sessionStoreBusy, sessionStoreInvalid, sessionStoreNewer, sessionStoreUnavailable } from './faults.ts'
import { WriteGroup } from './group-writes.ts'
import { MIGRATIONS } from './migrations.ts'
import { all, answer, type Row, type Sql, type Statement, type Steps, type WriteOptions } from './sql.ts'
import { ensureStoreFile, findStoreFile, isBusy, requireFreeSpace, toStoreFault } from './store-file.ts'

type ConnectionOptions = Pick<DatabaseOptions, 'path' | 'waitMs'> & {
  /** The file that must stay at the path; undefined: not checked. */
  file?: FileIdentity | undefined
}

export type DatabaseOptions = {
  path: string
  /** How long to wait while another process has the file locked. */
  waitMs?: number | undefined
  migrations?: readonly string[]
}

export type CopyWatch<T> = {
  /** Reads from the snapshot that is copied. */
  read: () => T
  /** Gets numbers of pages. */
  onProgress: (done: number, total: number) => void
}

/** Identifies a session file of drover: "drov". */
const APPLICATION_ID = 0x64726f76
/** SQLite blocks the process while it waits, so it waits only briefly; then the event loop runs. */
const SQLITE_WAIT_MS = 20
const POLL_MS = 10
/** A writer locks the whole file. */
const LOCKING = / FOR UPDATE$/
const DEFAULT_WAIT_MS = 5_000
/** A copy reports its progress after this many, which is 8 MB. */
const COPIED_PAGES = 2000
/** How long a check waits while another process has the file locked. */
const CHECK_WAIT_MS = 500

/** Opens the file, or creates it. Refuses a file of another kind without changing it. */
export async function openDatabase(options: DatabaseOptions): Promise<StoreDatabase> {
  const { path, migrations = MIGRATIONS } = options
  ensureStoreFile(path)
  // Found first: if the file is replaced before it is opened, every transaction fails.
  const file = findStoreFile(path)
  const database = new StoreDatabase(await connect(path, 'write'), { ...options, file })
  try {
    // Checked first, because the next steps change the file.
    const version = await database.read(() => answer(readSchemaVersion(database, migrations.length)))
    await database.prepare()
    if (version < migrations.length) await database.write(() => answer(migrate(database, migrations)))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** `immutable`: no process has the file open, so that SQLite leaves no file beside it. None of them creates a file. */
const ACCESS = { write: 'mode=rw', read: 'mode=ro', immutable: 'immutable=1' } as const

type Access = keyof typeof ACCESS

/** Opens a file that exists, as it is: neither migrates it nor changes its mode. */
export async function openUnchanged(
  path: string,
  { access, waitMs }: { access: Access; waitMs?: number },
): Promise<StoreDatabase> {
  return new StoreDatabase(await connect(path, access), { path, waitMs })
}

/** Loads `node:sqlite` only here, so that commands without sessions do not pay for it. */
async function connect(path: string, access: Access): Promise<DatabaseSync> {
  const sqlite = await import('node:sqlite')
  const url = pathToFileURL(path)
  url.search = ACCESS[access]
  try {
    return new sqlite.DatabaseSync(url, { timeout: SQLITE_WAIT_MS, readOnly: access !== 'write' })
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

export class StoreDatabase implements Sql {
  readonly path: string
  readonly #waitMs: number
  readonly #file: FileIdentity | undefined
  readonly #connection: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #writes = new WriteGroup((work) => this.#transact('BEGIN IMMEDIATE', () => answer(work())))

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

  read<T>(work: () => Steps<T>): Promise<T> {
    return this.#retry(this.#waitMs, () => this.#transact('BEGIN', work))
  }

  write<T>(work: () => Steps<T>, { waitMs = this.#waitMs, isSynced = true }: WriteOptions = {}): Promise<T> {
    const attempt = () => this.#transact('BEGIN IMMEDIATE', work)
    if (!isSynced) return this.#retry(waitMs, () => this.#withoutSync(attempt))
    return this.#writes.add(
      () => this.#runSteps(work()),
      () => this.#retry(waitMs, attempt),
    )
  }

  async run(sql: string, ...values: unknown[]): Promise<Row[]> {
    return await this.write(() => all(sql, ...values))
  }

  notify(): Steps<void> {
    return answer(undefined)
  }

  checkWritable(): Promise<void> {
    const check = () => {
      requireFreeSpace(this.path)
      this.exec(`PRAGMA user_version = ${Number(this.get('PRAGMA user_version')?.['user_version'])}`)
    }
    return this.write(() => answer(check()), { waitMs: CHECK_WAIT_MS })
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values)
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  /** Copies one snapshot into a new file, while others write. Returns what was read from it. */
  async copyTo<T>(path: string, { read, onProgress }: CopyWatch<T>): Promise<T> {
    const sqlite = await import('node:sqlite')
    try {
      const facts = await this.#retry(this.#waitMs, () => {
        this.exec('BEGIN')
        return this.#attempt(read)
      })
      // With its transaction, SQLite does not begin again whenever another process writes.
      const progress = ({ totalPages: total, remainingPages: rest }: BackupProgressInfo) =>
        onProgress(total - rest, total)
      await sqlite.backup(this.#connection, path, { rate: COPIED_PAGES, progress }).catch((error: unknown) => {
        throw toStoreFault(path, error)
      })
      return facts
    } finally {
      this.#rollBack()
    }
  }

  /** Makes this the only connection. It stays so until it is closed, and there is no log beside the file. */
  async claim(): Promise<void> {
    await this.#retry(CHECK_WAIT_MS, () => {
      this.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    })
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql.replace(LOCKING, ''))
    this.#statements.set(sql, statement)
    return statement
  }

  /** The transaction survives the death of this process. */
  #withoutSync<T>(attempt: () => T): T {
    this.exec('PRAGMA synchronous = NORMAL')
    try {
      return attempt()
    } finally {
      this.exec('PRAGMA synchronous = FULL')
    }
  }

  #runSteps<T>(steps: Steps<T>): T {
    let step = steps.next()
    while (step.done !== true) step = steps.next(this.#run(step.value))
    return step.value
  }

  #run({ sql, values, isOne }: Statement): Row[] {
    const statement = this.#statement(sql)
    if (!isOne) return statement.all(...(values as SQLInputValue[]))
    const row = statement.get(...(values as SQLInputValue[]))
    return row === undefined ? [] : [row]
  }

  #transact<T>(begin: string, work: () => Steps<T>): T {
    // SQLite would keep using the removed file, and lose everything that it writes.
    if (this.#file !== undefined && !isSameFile(this.#file, findStoreFile(this.path))) {
      throw sessionStoreUnavailable({
        path: this.path,
        reason: 'it was removed or replaced while drover used it (put it back, or restart drover)',
      })
    }
    this.exec(begin)
    return this.#attempt(() => {
      const result = this.#runSteps(work())
      this.exec('COMMIT')
      return result
    })
  }

  #attempt<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** After some errors SQLite has rolled back by itself. */
  #rollBack(): void {
    if (this.#connection.isTransaction) this.exec('ROLLBACK')
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
