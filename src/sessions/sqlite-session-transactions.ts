/** Transactions on the session file. The end of a turn that could not be saved is saved with the next write. */
import { Fault } from '../kit/fault.ts'
import type { StoreDatabase } from '../store/database.ts'
import type { Owners } from '../store/owners.ts'
import type { Session } from './session.shape.ts'
import { abandonTurn, type EndedTurn, endTurn } from './session-changes.ts'
import { readStoreFields, type SessionRow, toSession } from './session-rows.ts'
import { findOwnedBy, loadRow, saveRow } from './session-table.ts'

export class SqliteSessionTransactions {
  readonly #database: StoreDatabase
  readonly #owners: Owners
  readonly #countsTokens: boolean
  /** By session id. */
  readonly #unsaved = new Map<string, EndedTurn>()

  constructor(database: StoreDatabase, owners: Owners, { countsTokens }: { countsTokens: boolean }) {
    this.#database = database
    this.#owners = owners
    this.#countsTokens = countsTokens
  }

  /** Reads even if the end of a turn still cannot be saved, for example because the disk is full. */
  async read<T>(work: () => T): Promise<T> {
    if (this.#unsaved.size > 0) await this.#save([], () => undefined, { waitMs: 0 }).catch(ignoreFault)
    return this.#database.read(work)
  }

  async write<T>(work: () => T): Promise<T> {
    return await this.#save([], work)
  }

  async finishTurn(turn: EndedTurn): Promise<Session | undefined> {
    try {
      return await this.#save([turn], () => {
        const row = loadRow(this.#database, turn.id)
        return row && toSession(row)
      })
    } catch (error) {
      this.#unsaved.set(turn.id, turn)
      throw error
    }
  }

  /** Ends the turns of a process and returns their number. */
  async endTurnsOf(owner: string): Promise<number> {
    return await this.write(() => {
      const rows = findOwnedBy(this.#database, owner)
      for (const row of rows) this.#endTurn(row, abandonTurn(row))
      return rows.length
    })
  }

  async #save<T>(ended: readonly EndedTurn[], work: () => T, options: { waitMs?: number } = {}): Promise<T> {
    const turns = [...this.#unsaved.values(), ...ended]
    const owner = await this.#owners.takenName()
    const result = await this.#database.write(() => {
      for (const turn of turns) {
        const row = loadRow(this.#database, turn.id)
        // A turn ends once: if this process no longer owns it, an earlier attempt saved it or the session was deleted.
        if (row !== undefined && row.owner === owner) this.#endTurn(row, turn)
      }
      return work()
    }, options)
    for (const turn of turns) if (this.#unsaved.get(turn.id) === turn) this.#unsaved.delete(turn.id)
    return result
  }

  #endTurn(row: SessionRow, { end, at }: EndedTurn): void {
    const session = endTurn(toSession(row), { end, at, countsTokens: this.#countsTokens })
    const threadUsage = end.threadUsage ?? readStoreFields(row).threadUsage
    saveRow(this.#database, session, { owner: null, threadUsage })
  }
}

export function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}
