/** Transactions on sessions. The end of a turn that could not be saved is saved with the next one. */
import { ignoreFault } from '../kit/fault.ts'
import type { Owners } from '../store/owners.ts'
import { answer, type Sql, type Steps, type WriteOptions } from '../store/sql.ts'
import type { Session } from './session.shape.ts'
import { abandonTurn, type EndedTurn, endTurn, loseResult } from './session-changes.ts'
import { readStoreFields, type SessionRow, toSession } from './session-rows.ts'
import { type LostTurn, lockEndedBy, lockOwnedBy, lockRow, saveRow } from './session-table.ts'

type Attempt<T> = { isAlive: false } | { isAlive: true; result: T }

export class SessionTransactions {
  readonly #sql: Sql
  readonly #owners: Owners
  readonly #countsTokens: boolean
  /** By session id. */
  readonly #unsaved = new Map<string, EndedTurn>()

  constructor(sql: Sql, owners: Owners, { countsTokens }: { countsTokens: boolean }) {
    this.#sql = sql
    this.#owners = owners
    this.#countsTokens = countsTokens
  }

  /** Reads even if the end of a turn still cannot be saved, for example because the disk is full. */
  async read<T>(work: () => Steps<T>): Promise<T> {
    if (this.#unsaved.size > 0) await this.#save([], () => answer(undefined), { waitMs: 0 }).catch(ignoreFault)
    return await this.#sql.read(work)
  }

  async write<T>(work: () => Steps<T>): Promise<T> {
    return await this.#save([], work)
  }

  /** The same as a process that others take for alive. */
  async writeAsOwner<T>(work: (owner: string) => Steps<T>): Promise<T> {
    for (;;) {
      const owner = await this.#owners.name()
      const attempt = await this.write(() => this.#ifAlive(owner, work))
      if (attempt.isAlive) return attempt.result
    }
  }

  async finishTurn(turn: EndedTurn): Promise<Session | undefined> {
    try {
      return await this.#save([turn], () => find(turn.id))
    } catch (error) {
      this.#unsaved.set(turn.id, turn)
      throw error
    }
  }

  /** Ends the turns of a process and returns their number. `lost` are its executions: no session of theirs stays completed. */
  *endTurnsOf(owner: string, lost: readonly LostTurn[]): Steps<number> {
    const rows = yield* lockOwnedBy(owner)
    for (const row of rows) yield* this.#endTurn(row, abandonTurn(row))
    for (const turn of lost) {
      const row = yield* lockEndedBy(turn)
      if (row !== undefined) yield* saveRow(loseResult(toSession(row)), readStoreFields(row))
    }
    return rows.length
  }

  /** Throws if something could not be saved. */
  async close(): Promise<void> {
    if (this.#unsaved.size > 0) await this.write(() => answer(undefined))
  }

  async #save<T>(ended: readonly EndedTurn[], work: () => Steps<T>, options: WriteOptions = {}): Promise<T> {
    const turns = [...this.#unsaved.values(), ...ended]
    const owner = await this.#owners.takenName()
    const result = await this.#sql.write(() => this.#endTurns(turns, owner, work), options)
    for (const turn of turns) if (this.#unsaved.get(turn.id) === turn) this.#unsaved.delete(turn.id)
    return result
  }

  *#endTurns<T>(turns: readonly EndedTurn[], owner: string | undefined, work: () => Steps<T>): Steps<T> {
    for (const turn of turns) {
      const row = yield* lockRow(turn.id)
      // A turn ends once: if this process no longer owns it, an earlier attempt saved it, others took it, or it was deleted.
      if (row !== undefined && row.owner === owner) yield* this.#endTurn(row, turn)
    }
    return yield* work()
  }

  *#endTurn(row: SessionRow, { end, at }: EndedTurn): Steps<void> {
    const session = endTurn(toSession(row), { end, at, countsTokens: this.#countsTokens })
    const threadUsage = end.threadUsage ?? readStoreFields(row).threadUsage
    yield* saveRow(session, { owner: null, threadUsage })
  }

  *#ifAlive<T>(owner: string, work: (owner: string) => Steps<T>): Steps<Attempt<T>> {
    if (!(yield* this.#owners.hold(owner))) return { isAlive: false }
    return { isAlive: true, result: yield* work(owner) }
  }
}

function* find(id: string): Steps<Session | undefined> {
  const row = yield* lockRow(id)
  return row && toSession(row)
}
