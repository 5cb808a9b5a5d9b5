/** Stores sessions in a PostgreSQL database that processes on any number of machines share. */
import type { Usage } from '../agents/adapter/agent.ts'
import { NO_USAGE } from '../agents/adapter/usage.ts'
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import type { Ids } from '../kit/ids.ts'
import type { PostgresDatabase, Transaction } from '../store/postgres-database.ts'
import type { PostgresNotices } from '../store/postgres-notices.ts'
import type { PostgresOwners } from '../store/postgres-owners.ts'
import { sessionActive, sessionAmbiguous, sessionNotFound, sessionNotResumable } from './faults.ts'
import { PostgresSessionFiles } from './postgres-session-files.ts'
import { toPostgresCondition } from './postgres-session-query.ts'
import type { Session, SessionPage } from './session.shape.ts'
import { ABANDONED, beginSession, editSession, endTurn, isResumable, withAgentSession } from './session-changes.ts'
import { newSessionId, parseIdOrPrefix } from './session-id.ts'
import { toSessionQuery } from './session-query.ts'
import {
  asSessionRow,
  type SessionRow,
  type StoreFields,
  searchTextOf,
  searchTitleOf,
  storeFieldsOf,
  toColumns,
  toSession,
} from './session-rows.ts'
import { checkMoment, checkPage } from './session-rules.ts'
import type { NewSession, SessionEdit, SessionFilter, SessionStore, TurnEnd } from './session-store.ts'
import { ADDED_COLUMNS, CHANGING_COLUMNS, UPDATE } from './session-table.ts'

export type PostgresSessionStoreOptions = { clock: Clock; ids: Ids; storeTokenUsage?: boolean | undefined }

/** The end of a turn that is not in the database yet. */
type UnsavedTurn = { id: string; end: TurnEnd; at: string }

const DELETE_BATCH = 500
const INSERTED = [...ADDED_COLUMNS, 'machine', 'initial_prompt', 'system_prompt', 'search_text']
const INSERT = `INSERT INTO sessions (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`
/** All but the whole texts. */
const ROW = ['number', ...ADDED_COLUMNS].join(', ')

export class PostgresSessionStore implements SessionStore {
  readonly files: PostgresSessionFiles
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #notices: PostgresNotices
  readonly #clock: Clock
  readonly #ids: Ids
  readonly #countsTokens: boolean
  /** By session id. A turn end that could not be saved is saved with the next write. */
  readonly #unsaved = new Map<string, UnsavedTurn>()
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
    this.#countsTokens = options.storeTokenUsage ?? true
  }

  owner(): Promise<string> {
    return this.#owners.name()
  }

  async create(newSession: NewSession): Promise<Session> {
    const session = beginSession(newSession, { id: newSessionId(this.#ids), now: this.#now() })
    await this.#writeAsOwner((transaction, owner) => this.#add(transaction, session, owner))
    return session
  }

  async reopen(id: string): Promise<{ session: Session; threadUsage?: Usage }> {
    return await this.#whenIdle(id, async (transaction, row, owner) => {
      const before = toSession(row)
      if (!isResumable(before)) throw sessionNotResumable(before)
      const session: Session = { ...before, status: 'active', last_used: this.#now() }
      const { threadUsage } = storeFieldsOf(row)
      await save(transaction, session, { owner, threadUsage })
      return { session, ...(threadUsage !== undefined && { threadUsage }) }
    })
  }

  async recordAgentSession(id: string, facts: { backendSessionId?: string; model?: string }): Promise<void> {
    const owner = await this.#owners.takenName()
    await this.#write(async (transaction) => {
      const row = await lockRow(transaction, id)
      if (row === undefined || row.owner !== owner) return
      await save(transaction, withAgentSession(toSession(row), facts), storeFieldsOf(row))
    })
  }

  async finishTurn(id: string, end: TurnEnd): Promise<Session | undefined> {
    const turn = { id, end, at: this.#now() }
    try {
      return await this.#write(
        async (transaction) => {
          const row = await lockRow(transaction, id)
          return row && toSession(row)
        },
        { turn },
      )
    } catch (error) {
      this.#unsaved.set(id, turn)
      throw error
    }
  }

  async find(idOrPrefix: string): Promise<Session> {
    await this.#saveUnsaved()
    const { from, below } = parseIdOrPrefix(idOrPrefix)
    const sql = 'SELECT * FROM sessions WHERE id >= ? AND id < ? LIMIT 2'
    const [row, another] = await this.#database.all(sql, from, below)
    if (row === undefined) throw sessionNotFound({ id: idOrPrefix })
    if (another !== undefined) throw await this.#ambiguous(idOrPrefix)
    const { system_prompt: system, initial_prompt: prompt } = row
    const session = toSession(asSessionRow(row))
    return { ...session, initial_prompt: String(prompt), ...(system !== null && { system_prompt: String(system) }) }
  }

  async list(filter: SessionFilter, page: { limit: number; offset: number }): Promise<SessionPage> {
    checkPage(page)
    const { text, values } = toPostgresCondition(toSessionQuery(filter))
    await this.#saveUnsaved()
    const counted = await this.#database.get(`SELECT count(*) AS total FROM sessions WHERE ${text}`, ...values)
    const sql = `SELECT ${ROW} FROM sessions WHERE ${text} ORDER BY last_used DESC, id DESC LIMIT ? OFFSET ?`
    const rows = await this.#database.all(sql, ...values, page.limit, page.offset)
    return { sessions: rows.map((row) => toSession(asSessionRow(row))), total: Number(counted?.['total']), ...page }
  }

  async edit(idOrPrefix: string, change: SessionEdit): Promise<Session> {
    const id = await this.#write(async (transaction) => {
      const row = await this.#lockOne(transaction, idOrPrefix)
      const session = editSession(toSession(row), change)
      await save(transaction, session, storeFieldsOf(row))
      if (change.title !== undefined) {
        const sql = `UPDATE sessions SET search_text = ? || substr(search_text, strpos(search_text, chr(10)) + 1)
          WHERE id = ?`
        await transaction.all(sql, searchTitleOf(session.title), session.id)
      }
      return session.id
    })
    return await this.find(id)
  }

  async delete(idOrPrefix: string): Promise<string> {
    return await this.#whenIdle(idOrPrefix, async (transaction, { id }) => {
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
      const some = await this.#write(async (transaction) => {
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
    await this.#saveUnsaved()
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
      if (this.#unsaved.size > 0) await this.#write(async () => {})
      await this.#owners.close()
    } finally {
      await this.#notices.close()
      await this.#database.close()
    }
  }

  /** Ends the turns of a process that is gone. `last_used` stays at the start of the turn. */
  async endTurnsOf(transaction: Transaction, owner: string): Promise<number> {
    const found = await transaction.all(`SELECT ${ROW} FROM sessions WHERE owner = ? FOR UPDATE`, owner)
    const end: TurnEnd = { outcome: 'interrupted', errorMessage: ABANDONED, usage: NO_USAGE }
    for (const row of found.map(asSessionRow)) {
      await this.#endTurn(transaction, row, { id: row.id, end, at: row.last_used })
    }
    return found.length
  }

  async #add(transaction: Transaction, session: Session, owner: string): Promise<void> {
    const columns: Record<string, unknown> = {
      ...toColumns(session, { owner, threadUsage: undefined }),
      machine: this.#owners.machine,
      initial_prompt: session.initial_prompt,
      system_prompt: session.system_prompt,
      search_text: searchTextOf(session),
    }
    await transaction.all(INSERT, ...INSERTED.map((name) => columns[name] ?? null))
  }

  /** Runs `work` on a session without a running turn. A turn of a dead process is ended first. */
  async #whenIdle<T>(
    idOrPrefix: string,
    work: (transaction: Transaction, row: SessionRow, owner: string) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const outcome = await this.#writeAsOwner(async (transaction, own) => {
        const row = await this.#lockOne(transaction, idOrPrefix)
        if (row.owner !== null) return { id: row.id, owner: row.owner }
        return { done: await work(transaction, row, own) }
      })
      if ('done' in outcome) return outcome.done
      const isEnded = (await this.#owners.endIfDead(outcome.owner)) !== undefined
      if (!isEnded && (await this.#owners.isKnown(outcome.owner))) throw sessionActive({ id: outcome.id })
    }
  }

  async #endTurn(transaction: Transaction, row: SessionRow, { end, at }: UnsavedTurn): Promise<void> {
    const session = endTurn(toSession(row), { end, at, countsTokens: this.#countsTokens })
    const threadUsage = end.threadUsage ?? storeFieldsOf(row).threadUsage
    await save(transaction, session, { owner: null, threadUsage })
  }

  /** The same as a process that others take for alive. */
  async #writeAsOwner<T>(work: (transaction: Transaction, owner: string) => Promise<T>): Promise<T> {
    for (;;) {
      const owner = await this.#owners.name()
      const outcome = await this.#write(async (transaction) => {
        if (!(await this.#owners.hold(transaction, [owner])).has(owner)) return undefined
        return { done: await work(transaction, owner) }
      })
      if (outcome !== undefined) return outcome.done
      this.#owners.lose(owner)
    }
  }

  /** `turn` is the turn that ends with this write. */
  async #write<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: { waitMs?: number; turn?: UnsavedTurn } = {},
  ): Promise<T> {
    const turns = [...this.#unsaved.values(), ...(options.turn === undefined ? [] : [options.turn])]
    const owner = await this.#owners.takenName()
    const result = await this.#database.write(async (transaction) => {
      for (const turn of turns) {
        const row = await lockRow(transaction, turn.id)
        // A turn ends once: if this process no longer owns it, an earlier attempt saved it, or others took it.
        if (row !== undefined && row.owner === owner) await this.#endTurn(transaction, row, turn)
      }
      return await work(transaction)
    }, options)
    for (const turn of turns) if (this.#unsaved.get(turn.id) === turn) this.#unsaved.delete(turn.id)
    return result
  }

  /** A read goes on if that still fails. */
  async #saveUnsaved(): Promise<void> {
    if (this.#unsaved.size === 0) return
    await this.#write(async () => {}, { waitMs: 0 }).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error
    })
  }

  async #lockOne(transaction: Transaction, idOrPrefix: string): Promise<SessionRow> {
    const { from, below } = parseIdOrPrefix(idOrPrefix)
    const sql = `SELECT ${ROW} FROM sessions WHERE id >= ? AND id < ? LIMIT 2 FOR UPDATE`
    const [row, another] = await transaction.all(sql, from, below)
    if (row === undefined) throw sessionNotFound({ id: idOrPrefix })
    if (another !== undefined) throw await this.#ambiguous(idOrPrefix)
    return asSessionRow(row)
  }

  async #ambiguous(idOrPrefix: string): Promise<Fault> {
    const { from, below } = parseIdOrPrefix(idOrPrefix)
    const row = await this.#database.get('SELECT count(*) AS n FROM sessions WHERE id >= ? AND id < ?', from, below)
    return sessionAmbiguous({ id: idOrPrefix, count: Number(row?.['n']) })
  }

  #now(): string {
    return toTimestamp(this.#clock.now())
  }
}

async function lockRow(transaction: Transaction, id: string): Promise<SessionRow | undefined> {
  const row = await transaction.get(`SELECT ${ROW} FROM sessions WHERE id = ? FOR UPDATE`, id)
  return row && asSessionRow(row)
}

async function save(transaction: Transaction, session: Session, storeFields: StoreFields): Promise<void> {
  const columns = toColumns(session, storeFields)
  await transaction.all(UPDATE, ...CHANGING_COLUMNS.map((name) => columns[name] ?? null), session.id)
}
