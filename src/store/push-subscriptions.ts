/** The browsers that are notified by Web Push, in a file or in PostgreSQL. */
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { digest } from '../kit/digest.ts'
import { all, type Sql, type Steps } from './sql.ts'

export type PushSubscription = {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  /** Whose it is: `user`, `anyone` on a server without keys, or the digest of an API key. */
  readonly as: string
  /** The digest of the login in which the browser asked for it. Empty: there was none. */
  readonly login: string
  /** The public key of the server that it is for: no other one can send to it. */
  readonly serverKey: string
}

/** Of one key or of the user. The oldest one is dropped: no user has that many browsers. */
const MOST = 50

export class PushSubscriptions {
  readonly #sql: Sql
  readonly #clock: Clock

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** A browser has one. It belongs to who asked last. */
  async save(subscription: PushSubscription): Promise<void> {
    const { endpoint, p256dh, auth, as, login, serverKey } = subscription
    const now = toTimestamp(this.#clock.now())
    await this.#sql.write(function* () {
      yield* all('DELETE FROM push_subscriptions WHERE endpoint = ?', endpoint)
      const others = `SELECT endpoint FROM push_subscriptions WHERE owner = ? ORDER BY created_at DESC LIMIT ${MOST - 1}`
      yield* all(`DELETE FROM push_subscriptions WHERE owner = ? AND endpoint NOT IN (${others})`, as, as)
      const sql = `INSERT INTO push_subscriptions (endpoint, p256dh, auth, owner, login, server_key, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`
      yield* all(sql, endpoint, p256dh, auth, as, login, serverKey, now)
    })
  }

  async list(serverKey: string): Promise<PushSubscription[]> {
    const sql = 'SELECT * FROM push_subscriptions WHERE server_key = ? ORDER BY created_at, endpoint'
    const rows = await this.#sql.read(() => all(sql, serverKey))
    return rows.map((row) => ({
      ...{ endpoint: String(row['endpoint']), p256dh: String(row['p256dh']), auth: String(row['auth']) },
      ...{ as: String(row['owner']), login: String(row['login']), serverKey },
    }))
  }

  async remove(endpoint: string): Promise<void> {
    await this.#sql.write(() => remove('endpoint = ?', endpoint))
  }

  /** The browser was logged out. */
  async removeOf({ as, login }: Pick<PushSubscription, 'as' | 'login'>): Promise<void> {
    await this.#sql.write(() => remove('owner = ? AND login = ?', as, login))
  }
}

/** With what waits for it: no one else may get that. */
function* remove(which: string, ...values: string[]): Steps<void> {
  const gone = yield* all(`DELETE FROM push_subscriptions WHERE ${which} RETURNING endpoint`, ...values)
  for (const { endpoint } of gone) {
    const id = toBrowserId({ endpoint: String(endpoint) })
    yield* all("DELETE FROM outbox WHERE state = 'waiting' AND target LIKE ?", `%/${id}`)
  }
}

/** The name of a browser as a target of the outbox. The address itself is a secret. */
export function toBrowserId({ endpoint }: Pick<PushSubscription, 'endpoint'>): string {
  return digest(endpoint).slice(7, 23)
}
