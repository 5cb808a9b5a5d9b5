/**
 * Tells the processes that share a PostgreSQL database that something has changed (`LISTEN` and `NOTIFY`). A notice has only
 * names: the tables are the truth. Notices are lost while the connection is down, so a listener is told when it is back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { PostgresDatabase, Transaction } from './postgres-database.ts'

const CHANNEL = 'drover'
const RECONNECT_MS = 500
/** PostgreSQL allows notices of less than 8000 bytes. */
const MAX_IDS = 200

/** `ids` is empty if the type says it all. */
export type Notice = { type: string; ids: string[] }

/** Sends a notice as a part of another statement. */
export const NOTIFY = `pg_notify('${CHANNEL}', ?)`

/** The value of `NOTIFY`. At most 200 ids fit. */
export function noticeOf(type: string, ids: readonly string[] = []): string {
  return JSON.stringify({ type, ids })
}

/** The notice is sent when the transaction commits. */
export async function notify(transaction: Transaction, type: string, ids: readonly string[] = []): Promise<void> {
  for (let at = 0; at === 0 || at < ids.length; at += MAX_IDS) {
    await transaction.get(`SELECT ${NOTIFY}`, noticeOf(type, ids.slice(at, at + MAX_IDS)))
  }
}

export class PostgresNotices {
  readonly #database: PostgresDatabase
  readonly #listeners = new Set<(notice: Notice) => void>()
  #client: Client | undefined
  #isClosed = false
  #running: Promise<void> | undefined

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  /** Connects with the first listener. Returns a function that removes this one. */
  watch(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener)
    this.#running ??= this.#listen()
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#client?.end().catch(() => {})
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
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ payload = '' }) => this.#emit(JSON.parse(payload)))
    await client.connect()
    this.#client = client
    try {
      await client.query(`LISTEN ${CHANNEL}`)
      this.#emit({ type: 'missed', ids: [] })
      if (!this.#isClosed) await ended
    } finally {
      await client.end().catch(() => {})
    }
  }

  #emit(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice)
  }
}
