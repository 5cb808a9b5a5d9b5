/** A PostgreSQL database that processes on any number of machines share: connections, migrations, transactions. */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, ClientConfig, Pool, PoolClient, QueryResult } from 'pg'
import { Fault } from '../kit/fault.ts'
import { addressesOf, changeAddress, isAddress } from '../kit/store-address.ts'
import { sessionStoreNewer, storeNotMigrated } from './faults.ts'
import { isAnswer, isBug, isConflict, isDown, toPostgresFault } from './postgres-errors.ts'
import { clientOf } from './postgres-hosts.ts'
import { POSTGRES_MIGRATIONS, WORKS_FROM } from './postgres-migrations.ts'
import { notify } from './postgres-notices.ts'
import { all, get, type Row, type Sql, type Statement, type Steps, type WriteOptions } from './sql.ts'

export type PostgresOptions = {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE` */
  url: string
  /** How long an operation tries again while PostgreSQL cannot be reached. */
  waitMs?: number | undefined
  /** How long a statement may take. A connection that is silent for longer is given up. */
  statementMs?: number | undefined
  /** Has our tables, apart from those of other programs in the same database. */
  schema?: string | undefined
}

const DEFAULT_SCHEMA = 'drover'

const MAX_CONNECTIONS = 10

const CONNECT_MS = 5000

const DEFAULT_STATEMENT_MS = 15_000

/** For migrations and copies, which write whole tables and wait for each other. */
export const LONG_STATEMENT_MS = 600_000

/** PostgreSQL ends a statement itself when its time is over. If it does not say so within this time, it is silent. */
const SILENCE_MS = 1000

/**
 * A process that stops in the middle of a transaction, or is cut off, would lock its rows for ever. Nothing of ours waits that
 * long between two statements.
 */
const IDLE_IN_TRANSACTION_MS = 5000

/** How long connections may take to close. */
const CLOSE_MS = 2000

const DEFAULT_WAIT_MS = 5000

const RETRY_MS = 100

/** A number that only drover's migrations lock: "drov". */
const MIGRATION_LOCK = 0x64726f76

/** BIGINT and NUMERIC. Our numbers are far below 2^53. */
const NUMBER_TYPES = [20, 1700]

/** Changes nothing. Throws a Fault if the tables are not those that this version needs. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const database = await connect(options, { max: MAX_CONNECTIONS, idleTimeoutMillis: 30_000 })
  try {
    await database.requireTables(POSTGRES_MIGRATIONS.length)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

export type Migrated = { store: string; from: number; to: number }

/** Creates the tables or adds what is missing. Only `drover store migrate`, and a server with `store.migrate`, do that. */
export async function migratePostgres(
  options: PostgresOptions,
  { migrations = POSTGRES_MIGRATIONS, worksFrom = WORKS_FROM } = {},
): Promise<Migrated> {
  const database = await connect(options, { max: 1 })
  try {
    const from = await database.migrate(migrations, worksFrom)
    return { store: database.address, from, to: migrations.length }
  } finally {
    await database.close()
  }
}

export async function connect(options: PostgresOptions, limits: PoolLimits): Promise<PostgresDatabase> {
  const pg = await import('pg')
  const { url, statementMs = DEFAULT_STATEMENT_MS, schema = DEFAULT_SCHEMA } = options
  const sockets = new Set<Socket>()
  const createSocket = () => {
    const socket = new Socket()
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const hosts = addressesOf(url).map((address) => ({
    ...clientConfig(address, { types: pg.types, statementMs, schema }),
    stream: createSocket,
  }))
  const HostClient = clientOf(pg.Client, hosts)
  const pool = new pg.Pool({ ...hosts[0], ...limits, Client: HostClient })
  return new PostgresDatabase({ pool, sockets, hosts: hosts.length, createClient: () => new HostClient() }, options)
}

type PoolLimits = { max: number; idleTimeoutMillis?: number }

type ConfigParts = { types: typeof import('pg').types; statementMs: number; schema: string }

function clientConfig(connectionString: string, { types, statementMs, schema }: ConfigParts): ClientConfig {
  return {
    connectionString,
    connectionTimeoutMillis: Math.min(CONNECT_MS, statementMs),
    statement_timeout: statementMs,
    query_timeout: statementMs + SILENCE_MS,
    idle_in_transaction_session_timeout: Math.min(IDLE_IN_TRANSACTION_MS, statementMs),
    keepAlive: true,
    application_name: 'drover',
    options: `-c search_path=${schema},public -c jit=off`,
    types: {
      getTypeParser: (id: number, format?: 'text' | 'binary') =>
        NUMBER_TYPES.includes(id) ? Number : types.getTypeParser(id, format as 'text'),
    },
  }
}

/** The address without user and password, for messages. A text that is no address may be all password. */
export function toPlainAddress(url: string): string {
  if (!isAddress(url)) return 'postgres://…'
  return changeAddress(url, (address) => {
    for (const part of ['username', 'password', 'search', 'hash'] as const) address[part] = ''
  })
}

type Connections = {
  pool: Pool
  /** Those of all connections. */
  sockets: ReadonlySet<Socket>
  createClient: () => Client
  hosts: number
}

export class PostgresDatabase implements Sql {
  readonly notify = notify
  /** Its address, for messages. */
  readonly address: string
  /** Creates a connection for `LISTEN`, which needs a separate one. */
  readonly createClient: () => Client
  /** How long a statement may take. */
  readonly statementMs: number
  /** Has our tables. */
  readonly schema: string
  readonly #pool: Pool
  readonly #hosts: number
  readonly #sockets: ReadonlySet<Socket>
  readonly #waitMs: number
  #closing: Promise<void> | undefined

  constructor({ pool, sockets, createClient, hosts }: Connections, options: PostgresOptions) {
    const { url, waitMs = DEFAULT_WAIT_MS, statementMs = DEFAULT_STATEMENT_MS } = options
    this.address = toPlainAddress(url)
    this.statementMs = statementMs
    this.schema = options.schema ?? DEFAULT_SCHEMA
    this.createClient = createClient
    this.#pool = pool
    this.#hosts = hosts
    this.#sockets = sockets
    this.#waitMs = waitMs
    // A connection that breaks while no query runs on it. The next query fails, or gets another connection.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** The number of migrations that the tables have been through. */
  async version(): Promise<number> {
    const table = await this.get("SELECT to_regclass('schema_version') IS NOT NULL AS is_there")
    if ((table?.['is_there'] as unknown) !== true) return 0
    return Number((await this.get('SELECT version FROM schema_version'))?.['version'] ?? 0)
  }

  /** Throws a Fault if a program that knows this many migrations cannot use the tables. */
  async requireTables(known: number): Promise<void> {
    const version = await this.version()
    if (version < known) throw storeNotMigrated({ store: this.address, version, known })
    if (version === known) return
    const worksFrom = (await this.get('SELECT works_from FROM schema_version'))?.['works_from']
    if (Number(worksFrom ?? version) > known) throw sessionStoreNewer({ path: this.address, version, known })
  }

  /** One process migrates at a time; the others wait for it. Returns the number of migrations before. */
  async migrate(migrations: readonly string[], worksFrom: number): Promise<number> {
    const version = await this.version()
    if (version === migrations.length) return version
    return await this.write(() => this.#migrateNow(migrations, worksFrom), { statementMs: LONG_STATEMENT_MS })
  }

  *#migrateNow(migrations: readonly string[], worksFrom: number): Steps<number> {
    yield* all('SELECT pg_advisory_xact_lock(?)', MIGRATION_LOCK)
    yield* all(`CREATE SCHEMA IF NOT EXISTS ${this.schema}`)
    yield* all('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const found = yield* get('SELECT version FROM schema_version')
    const version = Number(found?.['version'] ?? 0)
    if (version > migrations.length) {
      throw sessionStoreNewer({ path: this.address, version, known: migrations.length })
    }
    for (const step of migrations.slice(version)) yield* all(step)
    if (version === migrations.length) return version
    if (found === undefined) yield* all('INSERT INTO schema_version (version) VALUES (0)')
    yield* all('UPDATE schema_version SET version = ?', migrations.length)
    if (migrations.length >= WORKS_FROM) yield* all('UPDATE schema_version SET works_from = ?', worksFrom)
    return version
  }

  async read<T>(work: () => Steps<T>): Promise<T> {
    return await runSteps(work(), ({ sql, values }) => this.run(sql, ...values))
  }

  /** It is run again if the connection fails. */
  async run(sql: string, ...values: unknown[]): Promise<Row[]> {
    return await this.#retry(this.#waitMs, async () => lastRows(await this.#pool.query(toStatement(sql, values))))
  }

  /** The same in this time. A connection that is silent for longer is given up. */
  async getWithin(ms: number, sql: string, ...values: unknown[]): Promise<Row | undefined> {
    const statement = { ...toStatement(sql, values), query_timeout: ms }
    return await this.#retry(ms, async () => lastRows(await this.#pool.query(statement))[0])
  }

  async get(sql: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.run(sql, ...values))[0]
  }

  /** If the connection fails while PostgreSQL commits, the work may have been done although this throws. */
  async write<T>(
    work: () => Steps<T>,
    { waitMs = this.#waitMs, statementMs }: WriteOptions & { statementMs?: number } = {},
  ): Promise<T> {
    return await this.#retry(waitMs, async () => {
      const client = await this.#pool.connect()
      let failure: Error | undefined
      try {
        return await transact(client, work, statementMs)
      } catch (error) {
        failure = error as Error
        throw error
      } finally {
        // A connection whose transaction failed for an unknown reason is not used again.
        client.release(failure !== undefined && !(failure instanceof Fault) && !isBug(failure))
      }
    })
  }

  /** Whether an operation failed because PostgreSQL does not run, so that no process can use it. Of several servers, another one may. */
  isDown(error: unknown): boolean {
    return this.#hosts === 1 && isDown(error)
  }

  async checkWritable(): Promise<void> {
    await this.write(() => all('UPDATE schema_version SET version = version'), { waitMs: 0 })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // A silent server does not answer to the end of a connection.
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, CLOSE_MS)
    await this.#pool.end()
    clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
  }

  async #retry<T>(waitMs: number, attempt: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + waitMs
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const isFinal = error instanceof Fault || isBug(error) || error instanceof CommitUnknown
        const isLate = performance.now() >= deadline && !isConflict(error)
        if (isFinal || isLate || this.#closing !== undefined) throw toPostgresFault(this.address, unwrapCause(error))
      }
      await sleep(RETRY_MS)
    }
  }
}

/** The connection failed during `COMMIT`, so it is not known whether the transaction was done. */
class CommitUnknown extends Error {}

function unwrapCause(error: unknown): unknown {
  return error instanceof CommitUnknown ? error.cause : error
}

async function transact<T>(client: PoolClient, work: () => Steps<T>, statementMs: number | undefined): Promise<T> {
  await client.query('BEGIN')
  const limit = statementMs === undefined ? {} : { query_timeout: statementMs + SILENCE_MS }
  let result: T
  try {
    if (statementMs !== undefined) await client.query(`SET LOCAL statement_timeout = ${statementMs}`)
    result = await runSteps(work(), async ({ sql, values }) =>
      lastRows(await client.query({ ...toStatement(sql, values), ...limit })),
    )
  } catch (error) {
    // A connection that has failed, or is silent, is closed.
    if (error instanceof Fault || isAnswer(error)) await client.query('ROLLBACK').catch(() => {})
    throw error
  }
  try {
    await client.query('COMMIT')
  } catch (error) {
    if (isConflict(error) || isBug(error)) throw error
    throw new CommitUnknown('commit', { cause: error })
  }
  return result
}

async function runSteps<T>(steps: Steps<T>, run: (statement: Statement) => Promise<Row[]>): Promise<T> {
  let step = steps.next()
  while (step.done !== true) step = steps.next(await run(step.value))
  return step.value
}

/** A text with several statements has a result for each. */
function lastRows(result: QueryResult | QueryResult[]): Row[] {
  return [result].flat().at(-1)?.rows ?? []
}

/** PostgreSQL numbers its placeholders. No statement of ours has a question mark elsewhere. */
function toStatement(sql: string, values: readonly unknown[]): { text: string; values?: unknown[] } {
  if (values.length === 0) return { text: sql }
  let count = 0
  return { text: sql.replace(/\?/g, () => `$${++count}`), values: values.map(withoutNul) }
}

/** PostgreSQL cannot store NUL characters in texts. */
function withoutNul(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  return Array.isArray(value) ? value.map(withoutNul) : value
}
