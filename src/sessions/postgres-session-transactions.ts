/** Transactions on the sessions in PostgreSQL. The end of a turn that could not be saved is saved with the next one. */
import { Fault } from '../kit/fault.ts'
import type { PostgresDatabase, Transaction } from '../store/postgres-database.ts'
import type { PostgresOwners } from '../store/postgres-owners.ts'
import { lockOwnedBy, lockRow, saveRow } from './postgres-session-table.ts'
import type { Session } from './session.shape.ts'
import { abandonTurn, type EndedTurn, endTurn } from './session-changes.ts'
import { readStoreFields, type SessionRow, toSession } from './session-rows.ts'

type Work<T> = (transaction: Transaction) => Promise<T>

export class PostgresSessionTransactions {
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #countsTokens: boolean
  /** By session id. */
  readonly #unsaved = new Map<string, EndedTurn>()

  constructor(database: PostgresDatabase, owners: PostgresOwners, { countsTokens }: { countsTokens: boolean }) {
    this.#database = database
    this.#owners = owners
    this.#countsTokens = countsTokens
  }

  async write<T>(work: Work<T>): Promise<T> {
    return await this.#save([], work)
  }

  /** The same as a process that others take for alive. */
  async writeAsOwner<T>(work: (transaction: Transaction, owner: string) => Promise<T>): Promise<T> {
    for (;;) {
      const owner = await this.#owners.name()
      const outcome = await this.write(async (transaction) => {
        if (!(await this.#owners.hold(transaction, [owner])).has(owner)) return undefined
        return { done: await work(transaction, owner) }
      })
      if (outcome !== undefined) return outcome.done
      this.#owners.lose(owner)
    }
  }

  async finishTurn(turn: EndedTurn): Promise<Session | undefined> {
    try {
      return await this.#save([turn], async (transaction) => {
        const row = await lockRow(transaction, turn.id)
        return row && toSession(row)
      })
    } catch (error) {
      this.#unsaved.set(turn.id, turn)
      throw error
    }
  }

  /** Ends the turns of a process and returns their number. */
  async endTurnsOf(transaction: Transaction, owner: string): Promise<number> {
    const rows = await lockOwnedBy(transaction, owner)
    for (const row of rows) await this.#endTurn(transaction, row, abandonTurn(row))
    return rows.length
  }

  /** For reads, which continue if that still fails. */
  async saveUnsaved(): Promise<void> {
    if (this.#unsaved.size === 0) return
    await this.#save([], async () => {}, { waitMs: 0 }).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error
    })
  }

  /** Throws if something could not be saved. */
  async close(): Promise<void> {
    if (this.#unsaved.size > 0) await this.write(async () => {})
  }

  async #save<T>(ended: readonly EndedTurn[], work: Work<T>, options: { waitMs?: number } = {}): Promise<T> {
    const turns = [...this.#unsaved.values(), ...ended]
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

  async #endTurn(transaction: Transaction, row: SessionRow, { end, at }: EndedTurn): Promise<void> {
    const session = endTurn(toSession(row), { end, at, countsTokens: this.#countsTokens })
    const threadUsage = end.threadUsage ?? readStoreFields(row).threadUsage
    await saveRow(transaction, session, { owner: null, threadUsage })
  }
}
