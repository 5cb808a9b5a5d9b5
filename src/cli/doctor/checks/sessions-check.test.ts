import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createEmptyDatabase,
  createPostgresDatabase,
  POSTGRES_PROGRAMS,
  runSql,
} from '../../../../test/support/postgres.ts'
import { newSession, openStore, sessionsPath } from '../../../../test/support/session-store.ts'
import { readConfig } from '../../../config/read-config.ts'
import { randomIds } from '../../../kit/ids.ts'
import { checkSessions } from './sessions-check.ts'

const at = (path: string, url?: string) => {
  const env = { DROVER_HOME: dirname(path), ...(url !== undefined && { DROVER_STORE_URL: url }) }
  const configEnvironment = { env, homeDirectory: '/', cwd: '/' }
  const config = readConfig(configEnvironment).then((value) => ({ is: 'found' as const, value }))
  return { configEnvironment, config }
}

describe('checkSessions', () => {
  it.each([
    [0, '0 sessions'],
    [1, '1 session'],
    [2, '2 sessions'],
  ])('counts %i as %s', async (count, text) => {
    const path = sessionsPath()
    const store = await openStore({ path })
    for (let made = 0; made < count; made++) await store.create(newSession())
    const [healthy] = await checkSessions(at(path))
    expect(healthy?.detail).toMatch(new RegExp(`^${path}: ${text}, 0\\.\\d MiB$`))
  })

  it('reports a PostgreSQL store that cannot be reached', async () => {
    const [unusable] = await checkSessions(at(sessionsPath(), 'postgres://drover:secret@127.0.0.1:1/drover'))
    expect(unusable?.detail).toContain('postgres://127.0.0.1:1/drover cannot be used: nothing listens')
  })

  it.skipIf(POSTGRES_PROGRAMS === undefined)('reports a PostgreSQL store that works', async () => {
    const url = await createPostgresDatabase()
    const [healthy] = await checkSessions(at(sessionsPath(), url))
    expect(healthy?.detail).toContain('workers: 0')
  })

  it.skipIf(POSTGRES_PROGRAMS === undefined)('reports what the role of a PostgreSQL store may not do', async () => {
    const owner = await createPostgresDatabase()
    const role = `guest_${randomIds.hex(8)}`
    await runSql(owner, `CREATE ROLE ${role} LOGIN`)
    const guest = owner.replace('user=drover', `user=${role}`)
    const check = async (url: string) => {
      const [found] = await checkSessions(at(sessionsPath(), url))
      return [found?.kind.code, found?.todo]
    }
    const tables = 'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA drover'
    expect(await check(guest)).toEqual([
      'store_rights_missing',
      `let its owner run GRANT USAGE ON SCHEMA drover TO ROLE; ${tables} TO ROLE`,
    ])
    await runSql(owner, `GRANT USAGE ON SCHEMA drover TO ${role}`)
    expect(await check(guest)).toEqual(['store_rights_missing', `let its owner run ${tables} TO ROLE`])
    await runSql(owner, `${tables} TO ${role}`)
    expect(await check(guest)).toEqual(['sessions_healthy', undefined])
    const empty = await createEmptyDatabase()
    expect(await check(empty)).toEqual([
      'store_outdated',
      expect.stringContaining('run drover store migrate as the owner of the tables'),
    ])
    expect((await check(empty.replace('user=drover', `user=${role}`)))[0]).toBe('store_outdated')
  })

  it('mentions an older layout', async () => {
    const path = sessionsPath()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '', { mode: 0o600 })
    const [healthy] = await checkSessions(at(path))
    expect(healthy?.detail).toBe(`${path}: 0 sessions, 0.0 MiB, in an older layout, which the next use upgrades`)
  })
})
