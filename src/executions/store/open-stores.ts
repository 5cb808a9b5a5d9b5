/** Opens the store that has sessions and executions: the user's SQLite file, or a PostgreSQL database. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findOwners } from '../../sessions/session-table.ts'
import { SqlSessionStore } from '../../sessions/sql-session-store.ts'
import { SqliteSessionTable } from '../../sessions/sqlite-session-table.ts'
import { openDatabase } from '../../store/database.ts'
import { settleKeys } from '../../store/key-ids.ts'
import { Outbox } from '../../store/outbox.ts'
import { FileOwners, toOwnersDirectory } from '../../store/owners.ts'
import { PushSubscriptions } from '../../store/push-subscriptions.ts'
import { all, get, type Row, type Sql, type Steps } from '../../store/sql.ts'
import { BudgetStore } from './budget-store.ts'
import type { SavedEvents, StoredExecutions } from './execution-table.ts'
import { BYTES_BY_KEY } from './fair-share.ts'
import { SqlExecutionStore } from './sql-execution-store.ts'
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
    endWorkOf: (name) => executions.loseAllOf(name, (lost) => sessions.endTurnsOf(name, lost)),
  })
  // SQLite has no notices.
  const watch = () => () => {}
  const executions = new SqlExecutionStore({ sql, owners, stored: new SqliteExecutions(sql), watch }, options)
  const table = new SqliteSessionTable()
  const sessions = new SqlSessionStore({ sql, owners, table, close: async () => sql.close() }, options)
  const outbox = new Outbox(sql, options.clock)
  const budgets = new BudgetStore(sql, { owners, clock: options.clock })
  return {
    ...{ sessions, executions, outbox, budgets },
    pushSubscriptions: () => new PushSubscriptions(sql, options.clock),
    settleKeys: (keys) => settleKeys(sql, keys),
  }
}

/** Events that are removed in one transaction: few enough to block neither other processes nor our event loop for long. */
const REMOVE_BATCH = 2000
const ADD_EVENT = 'INSERT INTO execution_events (execution, seq, at, type, content) VALUES (?, ?, ?, ?, ?)'
const ENDED = 'SELECT number FROM executions WHERE ended_at < ? ORDER BY ended_at LIMIT 1'
const OLDEST_OF_KEY = `SELECT number, bytes FROM executions WHERE key_id = ? AND ended_at IS NOT NULL
  ORDER BY ended_at LIMIT 1`
/** By how many rows the order of creation may differ from the order in which rows are added. */
const OUT_OF_ORDER = 1000

/** What SQLite does differently with executions: it removes them in small transactions, because each blocks the process. */
class SqliteExecutions implements StoredExecutions {
  readonly pollMs = 200
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  *addEvents(saved: readonly SavedEvents[]): Steps<void> {
    for (const { number, events, contents } of saved) {
      for (const [index, { seq, at, type }] of events.entries()) {
        yield* all(ADD_EVENT, number, seq, at, type, contents[index] ?? '')
      }
    }
  }

  /** Rows are added in about the order of their creation, so it is found without an index. */
  *firstSince(since: string): Steps<number> {
    const next = 'SELECT number, created_at FROM executions WHERE number > ? ORDER BY number LIMIT 1'
    let low = 0
    let high = Number((yield* get('SELECT max(number) AS number FROM executions'))?.['number'] ?? 0)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = yield* get(next, middle)
      if (row === undefined || String(row['created_at']) >= since) high = middle
      else low = Number(row['number'])
    }
    return low - OUT_OF_ORDER
  }

  async bytesByKey(): Promise<Row[]> {
    return await this.#sql.read(() => all(BYTES_BY_KEY))
  }

  async remove(id: string): Promise<void> {
    await this.#removeFirst('SELECT number FROM executions WHERE id = ? AND ended_at IS NOT NULL', id)
  }

  async removeEnded(before: string, signal?: AbortSignal): Promise<number> {
    let removed = 0
    while (signal?.aborted !== true && (await this.#removeFirst(ENDED, before)) !== undefined) removed += 1
    return removed
  }

  async removeOldest(keyId: string, bytes: number, signal?: AbortSignal): Promise<number> {
    let removed = 0
    for (let left = bytes; left > 0 && signal?.aborted !== true; removed += 1) {
      const size = await this.#removeFirst(OLDEST_OF_KEY, keyId)
      // The rest is still running.
      if (size === undefined) break
      left -= size
    }
    return removed
  }

  /** Returns the size of what it has removed, if the query finds something. */
  async #removeFirst(sql: string, value: string): Promise<number | undefined> {
    const row = await this.#sql.read(() => get(sql, value))
    if (row === undefined) return undefined
    while (!(await this.#sql.write(() => removeSome(Number(row['number']))))) await nextTurn()
    await nextTurn()
    return Number(row['bytes'] ?? 0)
  }
}

/** The last events first, so that the rest is a prefix at every moment. Returns whether nothing is left. */
function* removeSome(number: number): Steps<boolean> {
  const last = yield* get('SELECT max(seq) AS seq FROM execution_events WHERE execution = ?', number)
  const rest = Number(last?.['seq'] ?? 0) - REMOVE_BATCH
  if (rest <= 0) {
    yield* all('DELETE FROM executions WHERE number = ?', number)
    return true
  }
  yield* all('DELETE FROM execution_events WHERE execution = ? AND seq > ?', number, rest)
  yield* all('UPDATE executions SET last_seq = ? WHERE number = ?', rest, number)
  return false
}
