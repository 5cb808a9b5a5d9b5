/** To which API key a row belongs: the column `key_id` of sessions, executions, usage and idempotency keys. */
import type { Sql } from './sql.ts'

/** The row belongs to no key: to the user of the machine, or to a server without keys. */
export const NO_KEY = ''
/** The row is older than the ids of keys, and no server with keys has started since. No key has this id. */
export const UNDECIDED = 'undecided'

/** The key that a row belongs to, if it does. */
export function readKeyId(id: unknown): string | undefined {
  return typeof id === 'string' && id !== NO_KEY && id !== UNDECIDED ? id : undefined
}

/** How many executions got an owner. How many executions of keys, and how many sessions, belong to no key from now on. */
export type SettledKeys = { sessions: number; executions: number; adopted: number }

/** Few enough to block neither other processes nor our event loop for long. */
const BATCH = 500

/**
 * The owner of an idempotency key was the name of the key. It is decided with its execution, so before that. All others expire.
 */
const ADOPT_IDEMPOTENCY = `UPDATE idempotency_keys SET key_id = ? WHERE key_id = ? AND EXISTS (
  SELECT 1 FROM executions e
  WHERE e.id = idempotency_keys.execution_id AND e.key_id = '${UNDECIDED}' AND e.api_key = idempotency_keys.key_id)`

/**
 * Decides about rows that have only the name of a key, once. `ids` has the ids of the keys that may have added them, by name.
 * Sessions have no name at all, so they belong to no key.
 */
export async function settleKeys(sql: Pick<Sql, 'run'>, ids: ReadonlyMap<string, string>): Promise<SettledKeys> {
  let adopted = 0
  for (const [name, id] of ids) {
    await sql.run(ADOPT_IDEMPOTENCY, id, name)
    adopted += await settle(sql, { table: 'executions', id, and: 'api_key = ?', values: [name] })
    await sql.run(`UPDATE usage SET key_id = ? WHERE key_id = '${UNDECIDED}' AND api_key = ?`, id, name)
  }
  await sql.run(`UPDATE usage SET key_id = '${NO_KEY}' WHERE key_id = '${UNDECIDED}'`)
  const executions = await settle(sql, { table: 'executions', id: NO_KEY, and: 'api_key IS NOT NULL' })
  await settle(sql, { table: 'executions', id: NO_KEY })
  return { adopted, executions, sessions: await settle(sql, { table: 'sessions', id: NO_KEY }) }
}

type Settled = { table: 'executions' | 'sessions'; id: string; and?: string; values?: readonly string[] }

/** Returns the number of rows. */
async function settle(sql: Pick<Sql, 'run'>, { table, id, and = 'true', values = [] }: Settled): Promise<number> {
  const some = `SELECT number FROM ${table} WHERE key_id = '${UNDECIDED}' AND ${and} LIMIT ${BATCH}`
  const update = `UPDATE ${table} SET key_id = ? WHERE number IN (${some}) RETURNING number`
  for (let count = 0; ; ) {
    const rows = await sql.run(update, id, ...values)
    count += rows.length
    if (rows.length < BATCH) return count
  }
}
