/** The token buckets that all servers with one PostgreSQL store share. */
import type { PostgresDatabase } from './postgres-database.ts'
import { all, get, type Steps } from './sql.ts'

/** A bucket that was not used for this long is full, whatever its limits are. */
const FORGET_AFTER = "interval '1 day'"
const FORGET_EVERY = 1000

/** How full the bucket is now. Only the clock of PostgreSQL counts. */
const FILLED =
  'LEAST(CAST(? AS float8), b.tokens + extract(epoch FROM clock_timestamp() - b.seen_at) * CAST(? AS float8))'

export class SharedRateLimits {
  readonly #database: PostgresDatabase
  #taken = 0

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  /** Takes one token of a client, if there is one. Returns how many there were. */
  async take(client: string, { rps, burst }: { rps: number; burst: number }): Promise<number> {
    this.#taken += 1
    if (this.#taken % FORGET_EVERY === 0) {
      await this.#database.run(`DELETE FROM rate_limits WHERE seen_at < now() - ${FORGET_AFTER}`)
    }
    return await this.#database.write(() => take(client, { rps, burst }), { waitMs: 0 })
  }
}

function* take(client: string, { rps, burst }: { rps: number; burst: number }): Steps<number> {
  const add = 'INSERT INTO rate_limits (client, tokens, seen_at) VALUES (?, ?, now()) ON CONFLICT DO NOTHING'
  yield* all(add, client, burst)
  const read = `SELECT ${FILLED} AS filled FROM rate_limits b WHERE client = ? FOR UPDATE`
  const filled = Number((yield* get(read, burst, rps, client))?.['filled'])
  const save = 'UPDATE rate_limits SET tokens = ?, seen_at = clock_timestamp() WHERE client = ?'
  yield* all(save, filled >= 1 ? filled - 1 : filled, client)
  return filled
}
