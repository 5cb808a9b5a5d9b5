/** Copies a SQLite file into an empty PostgreSQL database, in one transaction. */
import { openDatabase, type StoreDatabase } from './database.ts'
import { postgresUnavailable, storeInUse, storeNotEmpty } from './faults.ts'
import { LONG_STATEMENT_MS, openPostgres } from './postgres-database.ts'
import { lacksPermission } from './postgres-errors.ts'
import { all, get, type Row, type Steps } from './sql.ts'

/** How many rows of each table were copied. */
export type CopiedRows = Record<
  | 'sessions'
  | 'session_messages'
  | 'executions'
  | 'execution_events'
  | 'attachments'
  | 'attachment_uses'
  | 'idempotency_keys'
  | 'usage'
  | 'budgets'
  | 'outbox'
  | 'push_subscriptions',
  number
>

type CopyOptions = {
  path: string
  url: string
  schema: string
  /** The machine that has the files of the sessions. */
  machine: string
}

const BATCH = 500
/** Without the columns that only one of the stores has. */
const EXECUTIONS = `number, id, state, kind, parent_id, session_id, backend, model, workdir, owner, api_key, key_id, keep, is_demo,
  created_at, started_at, ended_at, usage, error, cost_usd, cost_kind, last_seq, bytes, is_cancel_requested, is_usage_due,
  prompt_start, prompt, client_request, attachments, result, label`

export async function copyStore({ path, url, schema, machine }: CopyOptions): Promise<CopiedRows> {
  const file = await openDatabase({ path })
  const target = await openPostgres({ url, schema })
  try {
    const used = file.get(
      'SELECT 1 FROM executions WHERE ended_at IS NULL UNION SELECT 1 FROM sessions WHERE owner IS NOT NULL',
    )
    if (used !== undefined) throw storeInUse({ path })
    const copy = function* () {
      const found = yield* get('SELECT 1 FROM sessions UNION ALL SELECT 1 FROM executions LIMIT 1')
      if (found !== undefined) throw storeNotEmpty({ store: target.address })
      const copied = {
        sessions: yield* copySessions(file, machine),
        session_messages: yield* copyNumbered(file, 'session_messages', '*'),
        executions: yield* copyNumbered(file, 'executions', EXECUTIONS),
        execution_events: yield* copyEvents(file),
        attachments: yield* copyAttachments(file),
        attachment_uses: yield* copyAll(file, 'attachment_uses'),
        idempotency_keys: yield* copyAll(file, 'idempotency_keys'),
        usage: yield* copyAll(file, 'usage'),
        budgets: yield* copyAll(file, 'budgets'),
        outbox: yield* copyNumbered(file, 'outbox', '*'),
        push_subscriptions: yield* copyAll(file, 'push_subscriptions'),
      }
      for (const table of ['sessions', 'session_messages', 'executions', 'outbox']) {
        const next = `SELECT setval(pg_get_serial_sequence('${table}', 'number'), coalesce(max(number), 0) + 1, false)`
        yield* get(`${next} FROM ${table}`)
      }
      return copied
    }
    return await target.write(copy, { statementMs: LONG_STATEMENT_MS })
  } catch (error) {
    if (!lacksPermission(error)) throw error
    const reason = 'only their owner may copy into the tables, and nothing was copied'
    throw postgresUnavailable(
      { store: target.address, reason: `${reason}; give the address of the role that owns the tables` },
      error,
    )
  } finally {
    file.close()
    await target.close()
  }
}

function* copySessions(file: StoreDatabase, machine: string): Steps<number> {
  const sql = `SELECT s.*, f.text AS search_text FROM sessions s LEFT JOIN session_search f ON f.rowid = s.number
    WHERE s.number > ? ORDER BY s.number LIMIT ${BATCH}`
  return yield* inBatches(
    (last) => file.all(sql, Number(last?.['number'] ?? 0)),
    (rows) =>
      insert(
        'sessions',
        rows.map((row) => ({ ...row, machine, search_text: row['search_text'] ?? '', ...readTexts(file, row) })),
      ),
  )
}

/** The whole texts: their beginnings, or their pieces if they are longer. */
function readTexts(file: StoreDatabase, { id, initial_prompt_start: prompt, system_prompt_start: system }: Row): Row {
  const pieces = file.all('SELECT name, text FROM session_texts WHERE session = ? ORDER BY name, part', id ?? '')
  const whole = (name: string, start: Row[string] | undefined) => {
    const own = pieces.filter((piece) => piece['name'] === name)
    return own.length === 0 ? (start ?? null) : own.map((piece) => String(piece['text'])).join('')
  }
  return { initial_prompt: whole('initial_prompt', prompt), system_prompt: whole('system_prompt', system) }
}

function* copyNumbered(file: StoreDatabase, table: string, columns: string): Steps<number> {
  const sql = `SELECT ${columns} FROM ${table} WHERE number > ? ORDER BY number LIMIT ${BATCH}`
  return yield* inBatches(
    (last) => file.all(sql, Number(last?.['number'] ?? 0)),
    (rows) => insert(table, rows),
  )
}

function* copyEvents(file: StoreDatabase): Steps<number> {
  const sql = `SELECT execution, seq, at, type, content FROM execution_events
    WHERE (execution, seq) > (?, ?) ORDER BY execution, seq LIMIT ${BATCH}`
  return yield* inBatches(
    (last) => file.all(sql, Number(last?.['execution'] ?? 0), Number(last?.['seq'] ?? 0)),
    (rows) => insert('execution_events', rows),
  )
}

/** One at a time, because each may have megabytes. */
function* copyAttachments(file: StoreDatabase): Steps<number> {
  const sql = 'SELECT digest, data FROM attachments WHERE digest > ? ORDER BY digest LIMIT 1'
  return yield* inBatches(
    (last) => file.all(sql, String(last?.['digest'] ?? '')),
    (rows) => insert('attachments', rows),
  )
}

/** A table that is small. */
function* copyAll(file: StoreDatabase, table: string): Steps<number> {
  const rows = file.all(`SELECT * FROM ${table}`)
  if (rows.length > 0) yield* insert(table, rows)
  return rows.length
}

function* inBatches(read: (last: Row | undefined) => Row[], write: (rows: Row[]) => Steps<void>): Steps<number> {
  let count = 0
  for (let last: Row | undefined; ; ) {
    const rows = read(last)
    if (rows.length === 0) return count
    yield* write(rows)
    count += rows.length
    last = rows.at(-1)
  }
}

/** Both stores have columns of the same names. */
function* insert(table: string, rows: readonly Row[]): Steps<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  const keepsNumber = columns.startsWith('number') ? 'OVERRIDING SYSTEM VALUE ' : ''
  const sql = `INSERT INTO ${table} (${columns}) ${keepsNumber}SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?)`
  yield* all(sql, JSON.stringify(rows.map(withoutNuls)))
}

/** PostgreSQL cannot store NUL characters in texts. */
function withoutNuls(row: Row): Row {
  const replace = (value: Row[string]) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, replace(value)]))
}
