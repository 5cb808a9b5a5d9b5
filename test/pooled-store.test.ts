/** A PostgreSQL store behind pgbouncer, which gives each transaction another connection. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { followStored } from '../src/executions/follow-events.ts'
import type { Execution } from '../src/executions/store/execution.shape.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { NOBODY_UID, SHARED_DIRECTORY } from './support/unprivileged.ts'
import { until } from './support/until.ts'

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))

/** The settings that docs/production.md names. */
const SETTINGS = /```ini\n([^`]*)```/.exec(
  readFileSync(join(import.meta.dirname, '..', 'docs', 'production.md'), 'utf8'),
)?.[1]

/** Returns the address of the database through pgbouncer. */
async function startPgbouncer(url: string): Promise<string> {
  const directory = mkdtempSync(join(SHARED_DIRECTORY ?? tmpdir(), 'drover-pgbouncer-'))
  const user = process.getuid?.() === 0 ? { uid: NOBODY_UID } : {}
  if ('uid' in user) chownSync(directory, NOBODY_UID, -1)
  const { pathname, searchParams } = new URL(url)
  const file = join(directory, 'pgbouncer.ini')
  const place = `listen_addr =\nlisten_port = 6432\nunix_socket_dir = ${directory}\nauth_type = any`
  const target = `[databases]\n* = host=${searchParams.get('host')} user=drover`
  writeFileSync(file, `${target}\n${SETTINGS}\n${place}\n`)
  const child = spawn(PGBOUNCER ?? '', ['--quiet', file], { stdio: 'ignore', cwd: directory, ...user })
  onTestFinished(() => {
    child.kill()
    rmSync(directory, { recursive: true, force: true })
  })
  await until(() => existsSync(join(directory, '.s.PGSQL.6432')))
  return `postgres://${pathname}?host=${encodeURIComponent(directory)}&port=6432&user=drover`
}

async function open(url: string): Promise<Required<Stores>> {
  const postgres = { url, machine: 'here', deadAfterMs: 20_000 }
  const stores = await openStores({ clock: systemClock, ids: randomIds, postgres })
  onTestFinished(() => stores.sessions.close())
  return stores as Required<Stores>
}

describe.runIf(IS_FULL && POSTGRES_PROGRAMS !== undefined && PGBOUNCER !== undefined)(
  'a store behind pgbouncer',
  () => {
    it('has a queue, and its readers poll, because no notice arrives', async () => {
      const direct = await createPostgresDatabase()
      // As docs/production.md says, for the role.
      const name = new URL(direct).pathname.slice(1)
      await runSql(direct, `ALTER DATABASE ${name} SET search_path = drover, public`)
      const url = await startPgbouncer(direct)
      const [worker, server, beside] = [await open(url), await open(url), await open(direct)]
      const facts = { backends: ['claude'], repositories: [], slots: 1 }
      const execution: Execution = {
        ...{ id: 'exec_000000000000000000000001', state: 'queued', kind: 'prompt', backend: 'claude', owner: '' },
        ...{ created_at: '2026-01-01T00:00:00.000Z', last_seq: 0 },
      }
      const work = { keep: 'events', countsUsage: false, request: '{}', machine: undefined, waiter: undefined } as const
      await server.queue.add({ execution, ...work })
      const seen: number[] = []
      const read = async () => {
        const from = { after: 0, signal: AbortSignal.timeout(30_000) }
        for await (const batch of followStored(execution.id, async () => server.executions, from)) {
          seen.push(...batch.map(({ seq }) => seq))
        }
      }
      const ended = read()
      expect(await worker.queue.claim(facts, { perKey: 1, perBackend: 1 })).toMatchObject({ id: execution.id })
      beside.executions.watch(() => {})
      await until(() => beside.executions.isTold())
      const owner = await worker.sessions.owner()
      const end = { at: '2026-01-01T00:00:00.000Z', type: 'state', content: { state: 'completed' } }
      await worker.executions.save([
        {
          execution: { ...execution, owner, state: 'completed', ended_at: end.at, last_seq: 2 },
          ...{ keep: 'events', events: [{ seq: 2, ...end }], isNew: false },
        },
      ])
      await ended
      expect([seen, server.executions.isTold()]).toEqual([[1, 2], false])
    })
  },
)
