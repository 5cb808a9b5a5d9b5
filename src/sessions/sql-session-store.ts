/** Stores sessions in an SQLite file that processes share, or in a PostgreSQL database that machines share. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Usage } from '../agents/adapter/agent.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { ignoreFault } from '../kit/fault.ts'
import type { Ids } from '../kit/ids.ts'
import type { Owners } from '../store/owners.ts'
import type { Sql, Steps } from '../store/sql.ts'
import { sessionActive } from './faults.ts'
import type { Session, SessionPage } from './session.shape.ts'
import { beginSession, editSession, reopenSession, withAgentSession } from './session-changes.ts'
import { newSessionId } from './session-id.ts'
import { SessionMessages } from './session-messages.ts'
import { toSessionQuery } from './session-query.ts'
import { readStoreFields, type SessionRow, toSession } from './session-rows.ts'
import { checkMoment, checkPage } from './session-rules.ts'
import type {
  NewSession,
  SessionEdit,
  SessionFiles,
  SessionFilter,
  SessionStore,
  TurnEnd,
  UnusedDeletion,
  VisibleSessions,
} from './session-store.ts'
import {
  type FoundTexts,
  findRow,
  findWhole,
  type LostTurn,
  lockFound,
  lockRow,
  type SessionTable,
  saveRow,
  type WantedSession,
} from './session-table.ts'
import { withTexts } from './session-texts.ts'
import { SessionTransactions } from './session-transactions.ts'
import { requireOwn } from './session-visibility.ts'
import { StoredTexts } from './stored-texts.ts'

export type SessionStoreParts = {
  sql: Sql
  table: SessionTable
  owners: Owners
  /** Closes the database. */
  close(): Promise<void>
  /** Undefined: all sessions are on this machine. */
  files?: SessionFiles
}

export type SessionStoreOptions = {
  clock: Clock
  ids: Ids
  /** Whether sessions store the total token usage of their turns. */
  storeTokenUsage?: boolean
}

/** The process that runs a turn of the session, or what was done because none does. */
type IfIdle<T> = { done: T } | { id: string; owner: string }

type Reopened = { session: Session; threadUsage?: Usage }

export class SqlSessionStore implements SessionStore {
  readonly files: SessionFiles | undefined
  readonly #parts: SessionStoreParts
  readonly #table: SessionTable
  readonly #owners: Owners
  readonly #options: SessionStoreOptions
  readonly #transactions: SessionTransactions
  readonly #texts: StoredTexts | undefined
  #closing: Promise<void> | undefined

  constructor(parts: SessionStoreParts, options: SessionStoreOptions) {
    const { sql, table, owners, files } = parts
    this.files = files
    this.#parts = parts
    this.#table = table
    this.#owners = owners
    this.#options = options
    this.#transactions = new SessionTransactions(sql, owners, { countsTokens: options.storeTokenUsage ?? true })
    this.#texts = table.hasPieces ? new StoredTexts(this.#transactions) : undefined
  }

  get messages(): SessionMessages {
    return new SessionMessages(this.#parts.sql)
  }

  owner(): Promise<string> {
    return this.#owners.name()
  }

  async create(newSession: NewSession): Promise<Session> {
    const begun = beginSession(newSession, { id: newSessionId(this.#options.ids), now: this.#now() })
    const session = await this.#whenIdle(() =>
      this.#transactions.writeAsOwner((owner) => this.#add(begun, { owner, keyId: newSession.keyId })),
    )
    try {
      // If the process dies here, the session has a part of its prompt, and its turn never starts.
      await this.#texts?.addRest(session)
    } catch (error) {
      await this.#transactions.write(() => this.#table.delete([session.id])).catch(ignoreFault)
      throw error
    }
    return session
  }

  async prepare(newSession: NewSession): Promise<Session> {
    const begun = beginSession(newSession, { id: newSessionId(this.#options.ids), now: this.#now() })
    const session: Session = { ...begun, status: 'completed' }
    const { keyId } = newSession
    await this.#transactions.write(() => this.#table.add(session, { owner: null, threadUsage: undefined, keyId }))
    return session
  }

  /** In place of the one that was prepared. */
  *#add(session: Session, { owner, keyId }: { owner: string; keyId: string | undefined }): Steps<IfIdle<Session>> {
    const row = yield* lockRow(session.id)
    if (row === undefined) {
      yield* this.#table.add(session, { owner, threadUsage: undefined, keyId })
      return { done: session }
    }
    requireOwn(row, keyId)
    const { id } = session
    if (row.owner !== null) return { id, owner: row.owner }
    const { created_at, turn_count: turns } = toSession(row)
    if (turns > 0) throw sessionActive({ id })
    const kept = { ...session, created_at }
    yield* this.#table.delete([id])
    yield* this.#table.add(kept, { owner, threadUsage: undefined, keyId })
    return { done: kept }
  }

  async reopen(id: string): Promise<Reopened> {
    return await this.#whenIdle(() =>
      this.#transactions.writeAsOwner((owner) => this.#ifIdle({ idOrPrefix: id }, (row) => this.#reopen(row, owner))),
    )
  }

  *#reopen(row: SessionRow, owner: string): Steps<Reopened> {
    const session = reopenSession(toSession(row), this.#now())
    const { threadUsage } = readStoreFields(row)
    yield* saveRow(session, { owner, threadUsage })
    return { session, ...(threadUsage !== undefined && { threadUsage }) }
  }

  async recordAgentSession(id: string, facts: { backendSessionId?: string; model?: string }): Promise<void> {
    const owner = await this.#owners.takenName()
    await this.#transactions.write(function* () {
      const row = yield* lockRow(id)
      if (row === undefined || row.owner !== owner) return
      yield* saveRow(withAgentSession(toSession(row), facts), readStoreFields(row))
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
    requireOwn(await this.#transactions.read(() => findRow({ idOrPrefix: id, keyId })), keyId)
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Session> {
    const { session, texts } = await this.#transactions.read(() => this.#find({ idOrPrefix, keyId }))
    return this.#texts === undefined ? withTexts(session, texts.pieces) : await this.#texts.complete(session, texts)
  }

  *#find(wanted: WantedSession): Steps<{ session: Session; texts: FoundTexts }> {
    const row = yield* findWhole(wanted)
    return { session: toSession(row), texts: yield* this.#table.findTexts(row) }
  }

  async list(filter: SessionFilter, page: { limit: number; offset: number }, keyId?: string): Promise<SessionPage> {
    checkPage(page)
    const query = toSessionQuery(filter)
    const found = await this.#transactions.read(() => this.#table.findPage(query, { ...page, keyId }))
    const { total, sessions } = found
    for (let { rest } = found; rest.length > 0; ) {
      await nextTurn()
      const more = await this.#transactions.read(() => this.#table.load(rest))
      sessions.push(...more.sessions)
      rest = more.rest
    }
    return { sessions, total, ...page }
  }

  async edit(idOrPrefix: string, change: SessionEdit, keyId?: string): Promise<Session> {
    const id = await this.#transactions.write(() => this.#edit({ idOrPrefix, keyId }, change))
    return await this.find(id)
  }

  *#edit({ idOrPrefix, keyId }: WantedSession, change: SessionEdit): Steps<string> {
    const row = yield* lockFound({ idOrPrefix, keyId })
    requireOwn(row, keyId)
    const session = editSession(toSession(row), change)
    yield* saveRow(session, readStoreFields(row))
    if (change.title !== undefined) yield* this.#table.saveSearchTitle(row, session.title)
    return session.id
  }

  async delete(idOrPrefix: string, keyId?: string): Promise<string> {
    const table = this.#table
    const remove = function* ({ id }: SessionRow) {
      yield* table.delete([id])
      return id
    }
    const deleted = await this.#whenIdle(() =>
      this.#transactions.write(() => this.#ifIdle({ idOrPrefix, keyId }, remove)),
    )
    await this.#texts?.deleteUnwanted()
    return deleted
  }

  async deleteUnusedSince(moment: string, { isDryRun, signal }: UnusedDeletion): Promise<string[]> {
    const before = checkMoment('moment', moment)
    if (isDryRun) return await this.#transactions.read(() => this.#table.findUnused(before))
    const deleted: string[] = []
    while (signal?.aborted !== true) {
      const some = await this.#transactions.write(() => this.#deleteUnused(before))
      deleted.push(...some)
      await this.#texts?.deleteUnwanted()
      if (some.length < this.#table.deletedAtOnce) break
      await nextTurn()
    }
    return deleted
  }

  *#deleteUnused(before: string): Steps<string[]> {
    const ids = yield* this.#table.findUnused(before, this.#table.deletedAtOnce)
    yield* this.#table.delete(ids)
    return ids
  }

  async endAbandonedTurns(): Promise<{ ended: number; deadOwners: string[] }> {
    await this.#texts?.deleteUnwanted()
    return await this.#owners.endDead()
  }

  async count(): Promise<number> {
    return await this.#transactions.read(() => this.#table.count())
  }

  async checkWritable(): Promise<void> {
    await this.#parts.sql.checkWritable()
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
      await this.#owners.endOwnWork()
    } finally {
      await this.#owners.release()
      await this.#parts.close()
    }
  }

  /** Ends the turns of a process that is gone, whose executions are lost, and returns their number. */
  endTurnsOf(owner: string, lost: readonly LostTurn[]): Steps<number> {
    return this.#transactions.endTurnsOf(owner, lost)
  }

  /** A turn of a dead process is ended first. */
  async #whenIdle<T>(attempt: () => Promise<IfIdle<T>>): Promise<T> {
    for (;;) {
      const outcome = await attempt()
      if ('done' in outcome) return outcome.done
      if (!(await this.#owners.endIfDead(outcome.owner))) throw sessionActive({ id: outcome.id })
    }
  }

  /** Does the work on a session without a running turn. */
  *#ifIdle<T>({ idOrPrefix, keyId }: WantedSession, work: (row: SessionRow) => Steps<T>): Steps<IfIdle<T>> {
    const row = yield* lockFound({ idOrPrefix, keyId })
    requireOwn(row, keyId)
    return row.owner === null ? { done: yield* work(row) } : { id: row.id, owner: row.owner }
  }

  #now(): string {
    return toTimestamp(this.#options.clock.now())
  }
}
