/** pgbouncer in front of PostgreSQL, with the settings of the documentation. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSql } from './postgres.ts'
import { NOBODY_UID, SHARED_DIRECTORY } from './unprivileged.ts'
import { until } from './until.ts'

/** `url` is the address of the database through pgbouncer. */
type Pgbouncer = { url: string; stop(): void }

export const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))

/** The settings that docs/production.md names. */
const SETTINGS = /```ini\n([^`]*)```/.exec(
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'production.md'), 'utf8'),
)?.[1]

/** It gives each transaction another connection, as docs/production.md says. */
export async function startPgbouncer(url: string): Promise<Pgbouncer> {
  const { pathname, searchParams } = new URL(url)
  // As docs/production.md says, for the role.
  await runSql(url, `ALTER DATABASE ${pathname.slice(1)} SET search_path = drover, public`)
  const directory = mkdtempSync(join(SHARED_DIRECTORY ?? tmpdir(), 'drover-pgbouncer-'))
  const user = process.getuid?.() === 0 ? { uid: NOBODY_UID } : {}
  if ('uid' in user) chownSync(directory, NOBODY_UID, -1)
  const file = join(directory, 'pgbouncer.ini')
  const place = `listen_addr =\nlisten_port = 6432\nunix_socket_dir = ${directory}\nauth_type = any`
  const target = `[databases]\n* = host=${searchParams.get('host')} user=drover`
  writeFileSync(file, `${target}\n${SETTINGS}\n${place}\n`)
  const child = spawn(PGBOUNCER ?? '', ['--quiet', file], { stdio: 'ignore', cwd: directory, ...user })
  const stop = () => {
    child.kill()
    rmSync(directory, { recursive: true, force: true })
  }
  await until(() => existsSync(join(directory, '.s.PGSQL.6432')))
  const pooled = `postgres://${pathname}?host=${encodeURIComponent(directory)}&port=6432&user=drover`
  return { url: pooled, stop }
}
