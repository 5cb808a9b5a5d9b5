/** Requests about driven runs that wait for the machine of the run, and their answers. */
import type { Ids } from '../../kit/ids.ts'
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { notify, type PostgresNotices } from '../../store/postgres-notices.ts'
import type { PostgresOwners } from '../../store/postgres-owners.ts'
import { all, get, type Steps } from '../../store/sql.ts'

type CallParts = { owners: PostgresOwners; notices: PostgresNotices; ids: Ids }

export type TakenCall = { id: string; request: string }

/** The answer as JSON; `refused`: no process took it, so nothing was done; `unknown`: the process that took it did not answer. */
export type CallResult = { is: 'answered'; answer: string } | { is: 'refused' } | { is: 'unknown' }

/** A worker takes a call within milliseconds. One that has not is dead or has lost its connection. */
const TAKE_SECS = 10
/** A call may wait for git, for `gh`, and for the end of an agent. */
const ANSWER_MS = 300_000
const LOOK_MS = 1000
const FORGET = "interval '1 hour'"

/** Also what this process has taken if the answer of PostgreSQL was lost. */
const TAKE = `UPDATE run_calls SET taken_by = ? WHERE number = (
    SELECT number FROM run_calls WHERE machine = ? AND answer IS NULL
      AND ((taken_by IS NULL AND expires_at > now()) OR (taken_by = ? AND id <> ALL(CAST(? AS text[]))))
    ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, request`
/** Mostly nothing waits, and then nothing else is asked. */
const WAITS = 'SELECT 1 FROM run_calls WHERE machine = ? AND answer IS NULL LIMIT 1'
const LOOK = `SELECT answer, taken_by IS NULL AS is_open, expires_at < now() AS is_expired,
    EXISTS (SELECT 1 FROM processes p WHERE p.name = taken_by) AS is_alive
  FROM run_calls WHERE id = ?`

export class RunCalls {
  readonly machine: string
  readonly #database: PostgresDatabase
  readonly #parts: CallParts

  constructor(database: PostgresDatabase, parts: CallParts) {
    this.machine = parts.owners.machine
    this.#database = database
    this.#parts = parts
  }

  /** Calls `listener` when a call for this machine may wait. */
  watch(listener: () => void): () => void {
    return this.#parts.notices.watch(({ type, ids }) => {
      if (type === 'missed' || (type === 'run_call' && ids.includes(this.machine))) listener()
    })
  }

  /** Whether notices arrive. */
  isTold(): boolean {
    return this.#parts.notices.isListening
  }

  /** Asks a machine, and waits for its answer. */
  async ask(machine: string, request: string): Promise<CallResult> {
    const id = this.#parts.ids.uuid()
    const add = `INSERT INTO run_calls (id, machine, request, expires_at)
      VALUES (?, ?, ?, now() + make_interval(secs => ${TAKE_SECS})) ON CONFLICT DO NOTHING`
    await this.#database.write(function* () {
      yield* all(`DELETE FROM run_calls WHERE created_at < now() - ${FORGET}`)
      yield* all(add, id, machine, request)
      yield* notify('run_call', [machine])
    })
    const result = await this.#wait(id)
    // If this fails, a later call removes it.
    await this.#database.run('DELETE FROM run_calls WHERE id = ?', id).catch(() => {})
    return result
  }

  async #wait(id: string): Promise<CallResult> {
    let wake = Promise.withResolvers<void>()
    const unwatch = this.#parts.notices.watch(({ type, ids }) => {
      if (type === 'missed' || (type === 'run_answer' && ids.includes(id))) wake.resolve()
    })
    const deadline = performance.now() + ANSWER_MS
    const timer = setInterval(() => wake.resolve(), LOOK_MS)
    try {
      while (performance.now() < deadline) {
        wake = Promise.withResolvers<void>()
        const result = await this.#look(id)
        if (result !== undefined) return result
        await wake.promise
      }
      return { is: 'unknown' }
    } finally {
      clearInterval(timer)
      unwatch()
    }
  }

  async #look(id: string): Promise<CallResult | undefined> {
    const row = (await this.#database.get(LOOK, id)) as Record<string, unknown> | undefined
    if (row === undefined) return { is: 'unknown' }
    if (typeof row['answer'] === 'string') return { is: 'answered', answer: row['answer'] }
    if (row['is_open'] !== true) return row['is_alive'] === true ? undefined : { is: 'unknown' }
    if (row['is_expired'] !== true) return undefined
    // A process may take it at this moment.
    const removed = await this.#database.get('DELETE FROM run_calls WHERE id = ? AND taken_by IS NULL RETURNING id', id)
    return removed === undefined ? undefined : { is: 'refused' }
  }

  /** Takes the next call for this machine. `taken` are those that this process works on. */
  async take(taken: readonly string[]): Promise<TakenCall | undefined> {
    if ((await this.#database.get(WAITS, this.machine)) === undefined) return undefined
    const own = await this.#parts.owners.name()
    return await this.#database.write(() => this.#take(own, taken))
  }

  *#take(own: string, taken: readonly string[]): Steps<TakenCall | undefined> {
    if (!(yield* this.#parts.owners.hold(own))) return undefined
    const row = yield* get(TAKE, own, this.machine, own, taken)
    return row && { id: String(row['id']), request: String(row['request']) }
  }

  async answer(id: string, answer: string): Promise<void> {
    await this.#database.write(function* () {
      yield* all('UPDATE run_calls SET answer = ? WHERE id = ?', answer, id)
      yield* notify('run_answer', [id])
    })
  }
}
