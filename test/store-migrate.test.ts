/** Who changes the tables of a PostgreSQL store, and what a role needs that does not. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { copyStore } from '../src/store/copy-store.ts'
import { migratePostgres } from '../src/store/postgres-database.ts'
import { POSTGRES_MIGRATIONS } from '../src/store/postgres-migrations.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createEmptyDatabase, createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { runDrover, temporaryDirectory } from './support/run-drover.ts'
import { newSession } from './support/session-store.ts'

const KNOWN = POSTGRES_MIGRATIONS.length

async function open(url: string, schema?: string): Promise<Required<Stores>> {
  const stores = await openStores({
    clock: systemClock,
    ids: randomIds,
    postgres: { url, schema, machine: 'here', deadAfterMs: 20_000 },
  })
  onTestFinished(() => stores.sessions.close())
  return stores as Required<Stores>
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)('the tables of a PostgreSQL store', () => {
  it('are created by drover store migrate, and by no other command', async () => {
    const url = await createEmptyDatabase()
    const drover = (...args: string[]) => runDrover(args, { env: { DROVER_STORE_URL: url } })
    const refused = await drover('sessions', 'list')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('run "drover store migrate" as the owner'),
    ])
    expect(await runSql(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'drover'")).toEqual([])
    const migrated = await drover('store', 'migrate', '--json')
    expect(JSON.parse(migrated.stdout)).toMatchObject({ from: 0, to: KNOWN })
    expect((await drover('store', 'migrate')).stdout).toContain(`is up to date (schema ${KNOWN})`)
    expect((await drover('sessions', 'list')).code).toBe(0)
  })

  it('are used by a role that may only read and write rows', async () => {
    const owner = await createEmptyDatabase()
    const role = `app_${randomIds.hex(8)}`
    // As docs/many-machines.md says.
    await runSql(owner, `CREATE ROLE ${role} LOGIN`)
    await runSql(owner, 'CREATE SCHEMA drover')
    await runSql(owner, `GRANT USAGE ON SCHEMA drover TO ${role}`)
    await runSql(
      owner,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA drover GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
    )
    await migratePostgres({ url: owner })
    const url = owner.replace('user=drover', `user=${role}`)
    await expect(runSql(url, 'CREATE TABLE drover.mine (id int)')).rejects.toThrow('permission denied')
    const { sessions, queue, executions, leads, runs, outbox } = await open(url)
    const { id } = await sessions.create(newSession())
    await sessions.finishTurn(id, {
      outcome: 'completed',
      usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 },
    })
    const facts = { backends: ['claude'], repositories: [], slots: 1 }
    await queue.announce(facts)
    await queue.add({
      execution: {
        id: 'exec_000000000000000000000001',
        state: 'queued',
        kind: 'prompt',
        backend: 'claude',
        owner: '',
        created_at: '2026-01-01T00:00:00.000Z',
        last_seq: 0,
      },
      ...{ keep: 'events', countsUsage: true, request: '{}', machine: undefined, waiter: undefined },
    })
    expect(await queue.claim(facts, { perKey: 1, perBackend: 1 })).toMatchObject({
      id: 'exec_000000000000000000000001',
    })
    await queue.removeUnkept()
    await executions.removeOld({ endedBefore: '2020-01-01T00:00:00.000Z', maxBytes: 0 })
    await runs.board.removeOld('2020-01-01T00:00:00.000Z')
    await outbox.add([{ id: 'a', target: 'b', stream: 'c', body: '' }])
    await sessions.checkWritable()
    expect([await leads('retention'), await sessions.endAbandonedTurns()]).toMatchObject([true, { ended: 0 }])
    expect(await sessions.delete(id)).toBe(id)
    // The numbers of the copied rows belong to the owner.
    const path = join(temporaryDirectory(), 'sessions.db')
    await runSql(owner, 'DELETE FROM executions')
    const copy = (to: string) => copyStore({ path, url: to, schema: 'drover', machine: 'here' })
    await expect(copy(url)).rejects.toThrow('give the address of the role that owns the tables')
    expect(await copy(owner)).toMatchObject({ sessions: 0 })
  })

  it.runIf(IS_FULL)('may be in another schema, beside those of another drover', async () => {
    const url = await createPostgresDatabase()
    await expect(open(url, 'second')).rejects.toMatchObject({ code: 'store_not_migrated' })
    await migratePostgres({ url, schema: 'second' })
    const { id } = await (await open(url, 'second')).sessions.create(newSession())
    await expect((await open(url)).sessions.find(id)).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('of the next version are used as long as it says that they can be', async () => {
    const url = await createPostgresDatabase()
    const next = [...POSTGRES_MIGRATIONS, 'ALTER TABLE sessions ADD COLUMN mood TEXT']
    await migratePostgres({ url }, { migrations: next, worksFrom: KNOWN })
    const { sessions } = await open(url)
    const { id } = await sessions.create(newSession())
    expect(await sessions.find(id)).toMatchObject({ id, status: 'active' })
    await migratePostgres(
      { url },
      { migrations: [...next, 'ALTER TABLE sessions DROP COLUMN mood'], worksFrom: KNOWN + 1 },
    )
    await expect(open(url)).rejects.toMatchObject({ code: 'session_store_newer' })
  })

  it('are migrated by a server with store.migrate', async () => {
    const url = await createEmptyDatabase()
    const env = { DROVER_STORE_URL: url, DROVER_STORE_MIGRATE: 'true' }
    // A port that is not allowed ends it right after.
    const ran = await runDrover(['serve', '--host', '192.0.2.1', '--port', '9', '--quiet'], {
      env: { ...env, DROVER_API_KEYS: 'k'.repeat(40) },
    })
    expect(ran.code).not.toBe(0)
    expect(await runSql(url, 'SELECT version FROM schema_version')).toEqual([{ version: KNOWN }])
  })
})
