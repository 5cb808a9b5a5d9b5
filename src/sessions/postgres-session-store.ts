/** Stores sessions in a PostgreSQL database that processes on any number of machines share. */
import type { Usage } from '../agents/adapter/agent.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { Ids } from '../kit/ids.ts'
import type { PostgresDatabase, Transaction } from '../store/postgres-database.ts'
import type { PostgresNotices } from '../store/postgres-notices.ts'
import type { PostgresOwners } from '../store/postgres-owners.ts'
import { sessionActive } from './faults.ts'
import { PostgresSessionFiles } from './postgres-session-files.ts'
import { toPostgresCondition } from './postgres-session-query.ts'
import { addRow, COLUMNS, findRow, lockOne, lockRow, saveRow, saveSearchTitle } from './postgres-session-table.ts'
import { PostgresSessionTransactions } from './postgres-session-transactions.ts'
import type { Session, SessionPage } from './session.shape.ts'
import { beginSession, editSession, reopenSession, withAgentSession } from './session-changes.ts'
import { newSessionId } from './session-id.ts'
import { toSessionQuery } from './session-query.ts'
import { asSessionRow, readStoreFields, type SessionRow, toSession } from './session-rows.ts'
import { checkMoment, checkPage } from './session-rules.ts'
import type { NewSession, SessionEdit, SessionFilter, SessionStore, TurnEnd, VisibleSessions } from './session-store.ts'
import { requireOwn } from './session-visibility.ts'

export type PostgresSessionStoreOptions = { clock: Clock; ids: Ids; storeTokenUsage?: boolean | undefined }

const DELETE_BATCH = 500

/** A session to change, and the key that wants to. */
type Wanted = { idOrPrefix: string; keyId?: string | undefined }

export class PostgresSessionStore implements SessionStore {
  readonly files: PostgresSessionFiles
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #notices: PostgresNotices
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #transactions: PostgresSessionTransactions
  #closing: Promise<void> | undefined

  constructor(
    database: PostgresDatabase,
    { owners, notices }: { owners: PostgresOwners; notices: PostgresNotices },
    options: PostgresSessionStoreOptions,
  ) {
    this.#database = database
    this.#owners = owners
    this.#notices = notices
    this.files = new PostgresSessionFiles(database, owners)
    this.#clock = options.clock
    this.#ids = options.ids
    const countsTokens = options.storeTokenUsage ?? true
    this.#transactions = new PostgresSessionTransactions(database, owners, { countsTokens })
  }

  owner(): Promise<string> {
    return this.#owners.name()
  }

  async create(newSession: NewSession): Promise<Session> {
    const session = beginSession(newSession, { id: newSessionId(this.#ids), now: this.#now() })
    const { machine } = this.#owners
    const { keyId } = newSession
    await this.#transactions.writeAsOwner((transaction, owner) =>
      addRow(transaction, session, { owner, machine, keyId }),
    )
    return session
  }

  async reopen(id: string): Promise<{ session: Session; threadUsage?: Usage }> {
    return await this.#whenIdle({ idOrPrefix: id }, async (transaction, row, owner) => {
      const session = reopenSession(toSession(row), this.#now())
      const { threadUsage } = readStoreFields(row)
      await saveRow(transaction, session, { owner, threadUsage })
      return { session, ...(threadUsage !== undefined && { threadUsage }) }
    })
  }

  async recordAgentSession(id: string, facts: { backendSessionId?: string; model?: string }): Promise<void> {
    const owner = await this.#owners.takenName()
    await this.#transactions.write(async (transaction) => {
      const row = await lockRow(transaction, id)
      if (row === undefined || row.owner !== owner) return
      await saveRow(transaction, withAgentSession(toSession(row), facts), readStoreFields(row))
    })
  }

  async finishTurn(id: string, end: TurnEnd): Promise<Session | undefined> {
    return await this.#transactions.finishTurn({ id, end, at: this.#now() })
  }

  seenBy(keyId: string | undefined): VisibleSessions {
    return {
      find: (idOrPrefix) => this.find(idOrPrefix, keyId),
      list: (filter, page) => this.list(filter, page, keyId),
      edit: (idOrPrefix, change) => this.edit(idOrPrefix, change, keyId),
      delete: (idOrPrefix) => this.delete(idOrPrefix, keyId),
      requireOwn: (id) => this.requireOwn(id, keyId),
    }
  }

  async requireOwn(id: string, keyId?: string): Promise<void> {
    requireOwn(asSessionRow(await findRow(this.#database, id, keyId)), keyId)
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Session> {
    await this.#transactions.saveUnsaved()
    const row = await findRow(this.#database, idOrPrefix, keyId)
    const { system_prompt: system, initial_prompt: prompt } = row
    const session = toSession(asSessionRow(row))
    return { ...session, initial_prompt: String(prompt), ...(system !== null && { system_prompt: String(system) }) }
  }

  async list(filter: SessionFilter, page: { limit: number; offset: number }, keyId?: string): Promise<SessionPage> {
    checkPage(page)
    const { text, values } = toPostgresCondition(toSessionQuery(filter), keyId)
    await this.#transactions.saveUnsaved()
    const counted = await this.#database.get(`SELECT count(*) AS total FROM sessions WHERE ${text}`, ...values)
    const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${text} ORDER BY last_used DESC, id DESC LIMIT ? OFFSET ?`
    const rows = await this.#database.all(sql, ...values, page.limit, page.offset)
    return { sessions: rows.map((row) => toSession(asSessionRow(row))), total: Number(counted?.['total']), ...page }
  }

  async edit(idOrPrefix: string, change: SessionEdit, keyId?: string): Promise<Session> {
    const id = await this.#transactions.write(async (transaction) => {
      const row = await lockOne(transaction, idOrPrefix, keyId)
      requireOwn(row, keyId)
      const session = editSession(toSession(row), change)
      await saveRow(transaction, session, readStoreFields(row))
      if (change.title !== undefined) await saveSearchTitle(transaction, session)
      return session.id
    })
    return await this.find(id)
  }

  async delete(idOrPrefix: string, keyId?: string): Promise<string> {
    return await this.#whenIdle({ idOrPrefix, keyId }, async (transaction, { id }) => {
      await transaction.all('DELETE FROM sessions WHERE id = ?', id)
      return id
    })
  }

  async deleteUnusedSince(moment: string, { isDryRun }: { isDryRun: boolean }): Promise<string[]> {
    const before = checkMoment('moment', moment)
    const unused = 'SELECT id FROM sessions WHERE last_used < ? AND owner IS NULL ORDER BY last_used, id'
    const idsOf = (rows: readonly { [name: string]: unknown }[]) => rows.map((row) => String(row['id']))
    if (isDryRun) return idsOf(await this.#database.all(unused, before))
    const deleted: string[] = []
    for (;;) {
      const some = await this.#transactions.write(async (transaction) => {
        const ids = idsOf(await transaction.all(`${unused} LIMIT ? FOR UPDATE SKIP LOCKED`, before, DELETE_BATCH))
        await transaction.all('DELETE FROM sessions WHERE id = ANY(?)', ids)
        return ids
      })
      deleted.push(...some)
      if (some.length < DELETE_BATCH) return deleted
    }
  }

  async endAbandonedTurns(): Promise<{ ended: number; deadOwners: string[] }> {
    return await this.#owners.endDead()
  }

  async count(): Promise<number> {
    await this.#transactions.saveUnsaved()
    return Number((await this.#database.get('SELECT count(*) AS total FROM sessions'))?.['total'])
  }

  async checkWritable(): Promise<void> {
    await this.#database.write((transaction) => transaction.get('UPDATE schema_version SET version = version'), {
      waitMs: 0,
    })
  }

  /** Only the first call reports what could not be saved. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.catch(() => undefined)
    this.#closing = this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.#transactions.close()
      await this.#owners.close()
    } finally {
      await this.#notices.close()
      await this.#database.close()
    }
  }

  /** Ends the turns of a process that is gone, and returns their number. */
  async endTurnsOf(transaction: Transaction, owner: string): Promise<number> {
    return await this.#transactions.endTurnsOf(transaction, owner)
  }

  /** Runs `work` on a session without a running turn. A turn of a dead process is ended first. */
  async #whenIdle<T>(
    { idOrPrefix, keyId }: Wanted,
    work: (transaction: Transaction, row: SessionRow, owner: string) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const outcome = await this.#transactions.writeAsOwner(async (transaction, own) => {
        const row = await lockOne(transaction, idOrPrefix, keyId)
        requireOwn(row, keyId)
        if (row.owner !== null) return { id: row.id, owner: row.owner }
        return { done: await work(transaction, row, own) }
      })
      if ('done' in outcome) return outcome.done
      const isEnded = (await this.#owners.endIfDead(outcome.owner)) !== undefined
      if (!isEnded && (await this.#owners.isKnown(outcome.owner))) throw sessionActive({ id: outcome.id })
    }
  }

  #now(): string {
    return toTimestamp(this.#clock.now())
  }
}
