/** Opens the store that has sessions and executions: the user's SQLite file, or a PostgreSQL database. */

import { findOwners } from '../../sessions/session-table.ts'
import { SqlSessionStore } from '../../sessions/sql-session-store.ts'
import { SqliteSessionTable } from '../../sessions/sqlite-session-table.ts'
import { openDatabase } from '../../store/database.ts'
import { FileOwners, toOwnersDirectory } from '../../store/owners.ts'
import { settleKeys } from '../../store/settle-keys.ts'
import { SqlExecutionStore } from './sql-execution-store.ts'
import { SqliteExecutions } from './sqlite-executions.ts'
import type { Stores, StoresOptions } from './stores.ts'

export async function openStores(options: StoresOptions): Promise<Stores> {
  if ('path' in options) return await openSqliteStores(options)
  // Most commands need none of it.
  return await (await import('./open-postgres-stores.ts')).openPostgresStores(options)
}

async function openSqliteStores(options: StoresOptions & { path: string }): Promise<Stores> {
  const { path, ids, endAgentsOf = async () => {} } = options
  const sql = await openDatabase(options)
  const owners = new FileOwners({
    directory: toOwnersDirectory(path),
    ids,
    findOwners: () => sql.read(findOwners),
    endAgentsOf,
    endWorkOf: async (name) => {
      await executions.loseAllOf(name)
      return await sessions.abandonTurnsOf(name)
    },
  })
  // SQLite has no notices.
  const watch = () => () => {}
  const executions = new SqlExecutionStore({ sql, owners, stored: new SqliteExecutions(sql), watch }, options)
  const table = new SqliteSessionTable()
  const sessions = new SqlSessionStore({ sql, owners, table, close: async () => sql.close() }, options)
  return { sessions, executions, settleKeys: (keys) => settleKeys(sql, keys) }
}
