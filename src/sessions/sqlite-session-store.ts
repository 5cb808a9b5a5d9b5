/** Stores sessions in an SQLite file that any number of processes share. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Usage } from '../agents/adapter/agent.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { Ids } from '../kit/ids.ts'
import { openDatabase, type StoreDatabase } from '../store/database.ts'
import { Owners, toOwnersDirectory } from '../store/owners.ts'
import { sessionActive } from './faults.ts'
import { countBy, findPage, loadSome } from './list-sessions.ts'
import type { Session, SessionPage } from './session.shape.ts'
import { beginSession, editSession, reopenSession, withAgentSession } from './session-changes.ts'
import { newSessionId } from './session-id.ts'
import { toSessionQuery, toStoredCount } from './session-query.ts'
import { readStoreFields, type SessionRow, toSession } from './session-rows.ts'
import { checkMoment, checkPage } from './session-rules.ts'
import type { NewSession, SessionEdit, SessionFilter, SessionStore, TurnEnd, VisibleSessions } from './session-store.ts'
import {
  addRow,
  deleteRow,
  findOwnedBy,
  findOwners,
  findRow,
  findUnused,
  loadRow,
  saveRow,
  saveSearchTitle,
} from './session-table.ts'
import { toPieces } from './session-texts.ts'
import { requireOwn } from './session-visibility.ts'
import { ignoreFault, SqliteSessionTransactions } from './sqlite-session-transactions.ts'
import { addPieces, StoredTexts } from './stored-texts.ts'

export type SessionStoreOptions = {
  /** The session file. Its directory also gets the lock files of the processes that run turns. */
  path: string
  clock: Clock
  ids: Ids
  /** Whether sessions store the total token usage of their turns. */
  storeTokenUsage?: boolean
  /** How long an operation waits while another process has the file locked. */
  waitMs?: number
  /** Ends the agents that a dead process left running, before its sessions can be used again. */
  endAgentsOf?: (owner: string) => Promise<void>
  /** Called when a process that ran turns is gone: a dead one, or this one when the store is closed. */
  onOwnerGone?: (owner: string) => Promise<void>
}

/** Far longer than another process needs to end the turns of a dead one. It also delays the refusal of an active session. */
const PROOF_WAIT_MS = 100
/** How long a check waits while another process has the file locked. */
const CHECK_WAIT_MS = 500
/** Deleted in one transaction: small enough to block neither other processes nor our event loop for long. */
const DELETE_BATCH = 50

/** Opens the file for sessions alone. */
export async function openSessionStore(options: SessionStoreOptions): Promise<SessionStore> {
  return new SqliteSessionStore(await openDatabase(options), options)
}

/** A session to change, and the key that wants to. */
type Wanted = { idOrPrefix: string; keyId?: string | undefined }

export class SqliteSessionStore implements SessionStore {
  readonly #database: StoreDatabase
  readonly #owners: Owners
  readonly #transactions: SqliteSessionTransactions
  readonly #texts: StoredTexts
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #endAgentsOf: (owner: string) => Promise<void>
  readonly #onOwnerGone: (owner: string) => Promise<void>
  #closing: Promise<void> | undefined

  constructor(database: StoreDatabase, options: SessionStoreOptions) {
    const { path, clock, ids, storeTokenUsage = true } = options
    this.#database = database
    this.#owners = new Owners({ directory: toOwnersDirectory(path), ids })
    this.#transactions = new SqliteSessionTransactions(database, this.#owners, { countsTokens: storeTokenUsage })
    this.#texts = new StoredTexts(database, this.#transactions)
    this.#clock = clock
    this.#ids = ids
    this.#endAgentsOf = options.endAgentsOf ?? doNothing
    this.#onOwnerGone = options.onOwnerGone ?? doNothing
  }

  owner(): Promise<string> {
    return this.#owners.name()
  }

  async create(newSession: NewSession): Promise<Session> {
    const session = beginSession(newSession, { id: newSessionId(this.#ids), now: this.#now() })
    const owner = await this.owner()
    const [first = [], ...more] = toPieces(session)
    await this.#transactions.write(() => {
      addRow(this.#database, session, { owner, threadUsage: undefined, keyId: newSession.keyId })
      addPieces(this.#database, session.id, first)
    })
    try {
      // If the process dies here, the session has a part of its prompt, and its turn never starts.
      await this.#texts.add(session.id, more)
    } catch (error) {
      await this.#transactions.write(() => deleteRow(this.#database, session.id)).catch(ignoreFault)
      throw error
    }
    return session
  }

  async reopen(id: string): Promise<{ session: Session; threadUsage?: Usage }> {
    const owner = await this.owner()
    return this.#whenIdle({ idOrPrefix: id }, (row) => {
      const session = reopenSession(toSession(row), this.#now())
      const { threadUsage } = readStoreFields(row)
      saveRow(this.#database, session, { owner, threadUsage })
      return { session, ...(threadUsage !== undefined && { threadUsage }) }
    })
  }

  async recordAgentSession(id: string, facts: { backendSessionId?: string; model?: string }): Promise<void> {
    const owner = await this.#owners.takenName()
    await this.#transactions.write(() => {
      const row = loadRow(this.#database, id)
      if (row === undefined || row.owner !== owner) return
      saveRow(this.#database, withAgentSession(toSession(row), facts), readStoreFields(row))
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
    requireOwn(await this.#transactions.read(() => findRow(this.#database, id, keyId)), keyId)
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Session> {
    const { session, texts } = await this.#transactions.read(() => {
      const found = toSession(findRow(this.#database, idOrPrefix, keyId))
      return { session: found, texts: this.#texts.find(found.id) }
    })
    return await this.#texts.complete(session, texts)
  }

  async list(filter: SessionFilter, page: { limit: number; offset: number }, keyId?: string): Promise<SessionPage> {
    checkPage(page)
    const query = toSessionQuery(filter)
    const { total, sessions, ...found } = await this.#transactions.read(() => {
      const { numbers, total: matching } = findPage(this.#database, query, { ...page, keyId })
      return { total: matching, ...loadSome(this.#database, numbers) }
    })
    let { rest } = found
    while (rest.length > 0) {
      await nextTurn()
      const more = await this.#transactions.read(() => loadSome(this.#database, rest))
      sessions.push(...more.sessions)
      rest = more.rest
    }
    return { sessions, total, ...page }
  }

  async edit(idOrPrefix: string, change: SessionEdit, keyId?: string): Promise<Session> {
    const id = await this.#transactions.write(() => {
      const row = findRow(this.#database, idOrPrefix, keyId)
      requireOwn(row, keyId)
      const session = editSession(toSession(row), change)
      saveRow(this.#database, session, readStoreFields(row))
      if (change.title !== undefined) saveSearchTitle(this.#database, row.number, session.title)
      return session.id
    })
    return await this.find(id)
  }

  async delete(idOrPrefix: string, keyId?: string): Promise<string> {
    const deleted = await this.#whenIdle({ idOrPrefix, keyId }, ({ id }) => {
      deleteRow(this.#database, id)
      return id
    })
    await this.#texts.deleteUnwanted()
    return deleted
  }

  async deleteUnusedSince(moment: string, { isDryRun }: { isDryRun: boolean }): Promise<string[]> {
    const before = checkMoment('moment', moment)
    if (isDryRun) return this.#transactions.read(() => findUnused(this.#database, before, Number.MAX_SAFE_INTEGER))
    const deleted: string[] = []
    for (;;) {
      const some = await this.#transactions.write(() => {
        const ids = findUnused(this.#database, before, DELETE_BATCH)
        for (const id of ids) deleteRow(this.#database, id)
        return ids
      })
      deleted.push(...some)
      await this.#texts.deleteUnwanted()
      if (some.length < DELETE_BATCH) return deleted
      await nextTurn()
    }
  }

  async endAbandonedTurns(): Promise<{ ended: number; deadOwners: string[] }> {
    await this.#texts.deleteUnwanted()
    const owners = await this.#transactions.read(() => findOwners(this.#database))
    const deadOwners: string[] = []
    let ended = 0
    for (const owner of new Set([...owners, ...this.#owners.list()])) {
      const isDead = await this.#owners.ifDead({ name: owner, waitMs: 0 }, async () => {
        ended += await this.#endWorkOf(owner)
      })
      if (isDead) deadOwners.push(owner)
    }
    return { ended, deadOwners }
  }

  async count(): Promise<number> {
    return this.#transactions.read(() =>
      countBy(this.#database, toStoredCount({ facets: new Map(), isResumable: undefined })),
    )
  }

  async checkWritable(): Promise<void> {
    await this.#database.checkWritable({ waitMs: CHECK_WAIT_MS })
  }

  /** Only the first call reports what could not be saved. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.catch(() => undefined)
    this.#closing = this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.#endOwnTurns()
    } finally {
      await this.#owners.close()
      this.#database.close()
    }
  }

  /** Runs `work` on a session without a running turn. A turn of a dead process is ended first. */
  async #whenIdle<T>({ idOrPrefix, keyId }: Wanted, work: (row: SessionRow) => T): Promise<T> {
    for (;;) {
      const outcome = await this.#transactions.write(() => {
        const row = findRow(this.#database, idOrPrefix, keyId)
        requireOwn(row, keyId)
        return row.owner === null ? { done: work(row) } : { id: row.id, owner: row.owner }
      })
      if ('done' in outcome) return outcome.done
      const { id, owner } = outcome
      const isDead = await this.#owners.ifDead({ name: owner, waitMs: PROOF_WAIT_MS }, async () => {
        await this.#endWorkOf(owner)
      })
      if (!isDead) throw sessionActive({ id })
    }
  }

  /** Of a dead process. Returns the number of its turns. */
  async #endWorkOf(owner: string): Promise<number> {
    await this.#endAgentsOf(owner)
    await this.#onOwnerGone(owner)
    return await this.#transactions.endTurnsOf(owner)
  }

  /** Ends the turns that this process leaves running. Without any, it does not wait for the write lock. */
  async #endOwnTurns(): Promise<void> {
    const owner = await this.#owners.takenName()
    if (owner === undefined) return
    const hasTurns = await this.#database.read(() => findOwnedBy(this.#database, owner).length > 0)
    if (hasTurns) await this.#transactions.endTurnsOf(owner)
    await this.#onOwnerGone(owner)
  }

  #now(): string {
    return toTimestamp(this.#clock.now())
  }
}

async function doNothing(): Promise<void> {}
