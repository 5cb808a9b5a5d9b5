/** Opens the file that has sessions and executions. */
import type { SessionStore } from '../sessions/session-store.ts'
import { type SessionStoreOptions, SqliteSessionStore } from '../sessions/sqlite-session-store.ts'
import { openDatabase } from '../store/database.ts'
import type { ExecutionStore } from './execution-store.ts'
import { SqliteExecutionStore } from './sqlite-execution-store.ts'

export type Stores = {
  /** Closing it closes the file. */
  sessions: SessionStore
  executions: ExecutionStore
}

export async function openStores(options: Omit<SessionStoreOptions, 'onOwnerGone'>): Promise<Stores> {
  const database = await openDatabase(options)
  const executions = new SqliteExecutionStore(database, options)
  const onOwnerGone = (owner: string) => executions.loseAllOf(owner)
  return { sessions: new SqliteSessionStore(database, { ...options, onOwnerGone }), executions }
}
