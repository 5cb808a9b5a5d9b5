/**
 * Tells the processes that share a PostgreSQL database that something has changed (`LISTEN` and `NOTIFY`). A notice has only
 * names: the tables are the truth. Notices are lost while the connection is down, so a listener is told when it is back.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { raceTime } from '../kit/race.ts'
import { all, type Sql, type Steps } from './sql.ts'

const CHANNEL = 'drover'
const RECONNECT_MS = 500
/** A notice takes milliseconds. Until it has arrived, readers poll. */
const PING_MS = 2000
/** How long the connection may take to close. What is left then is closed with the database. */
const CLOSE_MS = 1000
/** PostgreSQL allows notices of less than 8000 bytes. */
const MAX_IDS = 200

/** `ids` is empty if the type says it all. */
export type DatabaseNotice = { type: string; ids: string[] }

/** Sends a notice as a part of another statement. */
export const NOTIFY = `pg_notify('${CHANNEL}', ?)`

/** The value of `NOTIFY`. At most 200 ids fit. */
export function writeNotice(type: string, ids: readonly string[] = []): string {
  return JSON.stringify({ type, ids })
}

/** The notice is sent when the transaction commits. */
export function* notify(type: string, ids: readonly string[] = []): Steps<void> {
  for (let at = 0; at === 0 || at < ids.length; at += MAX_IDS) {
    yield* all(`SELECT ${NOTIFY}`, writeNotice(type, ids.slice(at, at + MAX_IDS)))
  }
}

/** `statementMs` is how long a statement may take. */
type ListenedDatabase = Pick<Sql, 'run'> & { createClient: () => Client; statementMs: number }

export class PostgresNotices {
  readonly #database: ListenedDatabase
  readonly #listeners = new Set<(notice: DatabaseNotice) => void>()
  #client: Client | undefined
  #isListening = false
  #isClosed = false
  #running: Promise<void> | undefined

  constructor(database: ListenedDatabase) {
    this.#database = database
  }

  /** Connects with the first listener. Returns a function that removes this one. */
  watch(listener: (notice: DatabaseNotice) => void): () => void {
    this.#listeners.add(listener)
    this.#running ??= this.#listen()
    return () => this.#listeners.delete(listener)
  }

  /** Whether notices arrive. False while the connection is known to be lost. */
  get isListening(): boolean {
    return this.#isListening
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end(this.#client)
  }

  async #listen(): Promise<void> {
    while (!this.#isClosed) {
      await this.#listenOnce().catch(() => {})
      if (!this.#isClosed) await sleep(RECONNECT_MS, undefined, { ref: false })
    }
  }

  /** Until the connection ends. */
  async #listenOnce(): Promise<void> {
    const client = this.#database.createClient()
    const ended = new Promise<true>((resolve) => client.once('end', () => resolve(true)))
    client.on('error', () => {})
    client.on('notification', ({ payload = '' }) => {
      const notice = JSON.parse(payload)
      // Only `#isHeard` waits for pings.
      if (notice.type !== 'ping') this.#emit(notice)
    })
    try {
      await client.connect()
      this.#client = client
      await client.query(`LISTEN ${CHANNEL}`)
      this.#emit({ type: 'missed', ids: [] })
      this.#isListening = await this.#isHeard(client)
      // Nothing else happens on this connection, so nothing else would show that it is dead.
      while (!this.#isClosed && !(await raceTime(ended, this.#database.statementMs))) await client.query('SELECT 1')
    } finally {
      this.#isListening = false
      await this.#end(client)
    }
  }

  /** Behind a pooler of transactions LISTEN succeeds, and nothing arrives. A notice of another connection shows it. */
  async #isHeard(client: Client): Promise<boolean> {
    const ping = writeNotice('ping', [randomUUID()])
    const heard = new Promise<true>((resolve) => {
      client.on('notification', ({ payload }) => payload === ping && resolve(true))
    })
    await this.#database.run(`SELECT ${NOTIFY}`, ping)
    return (await raceTime(heard, PING_MS)) === true
  }

  async #end(client: Client | undefined): Promise<void> {
    await raceTime(client?.end().catch(() => {}) ?? Promise.resolve(), CLOSE_MS)
  }

  #emit(notice: DatabaseNotice): void {
    for (const listener of this.#listeners) listener(notice)
  }
}
