/** Copies of driven runs, with which another machine continues them when theirs is gone. */
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { notify } from '../../store/postgres-notices.ts'
import type { PostgresOwners } from '../../store/postgres-owners.ts'
import { all, get, type Steps } from '../../store/sql.ts'

/** A run that this machine may continue. */
export type LeftRun = { id: string; machine: string; repository: string; backend: string | undefined }

/** The runs of a copy, and how many records each of them has. */
export type CopiedRounds = readonly { readonly id: string; readonly events: number }[]

/** No worker was there for the given number of seconds. A run that was moved here, but never arrived, is taken too. */
const LEFT = `r.driver IS NULL AND NOT r.is_over AND (r.machine = ? AND r.is_moved OR (
  NOT EXISTS (SELECT 1 FROM processes p WHERE p.machine = r.machine AND p.worker IS NOT NULL)
  AND EXISTS (SELECT 1 FROM machines m WHERE m.name = r.machine AND m.seen_at < now() - make_interval(secs => ?))))`

export class RunCopies {
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners

  constructor(database: PostgresDatabase, owners: PostgresOwners) {
    this.#database = database
    this.#owners = owners
  }

  /** Replaces the copy before. Returns false if others took this process for dead, or have the run. */
  async save(run: string, content: string): Promise<boolean> {
    const [{ machine }, own] = [this.#owners, await this.#owners.name()]
    const hold = (name: string) => this.#owners.hold(name)
    return await this.#database.write(function* (): Steps<boolean> {
      if (!(yield* hold(own))) return false
      const sql = `INSERT INTO driven_run_copies (run, content)
        SELECT r.id, CAST(? AS text) FROM driven_runs r WHERE r.id = ? AND r.machine = ?
        ON CONFLICT (run) DO UPDATE SET content = excluded.content RETURNING run`
      return (yield* get(sql, content, run, machine)) !== undefined
    })
  }

  /** Those whose machine has had no worker for this long, and that have a copy. */
  async left(seconds: number): Promise<LeftRun[]> {
    const sql = `SELECT r.id, r.machine, r.repository, CAST(r.summary AS json) ->> 'backend' AS backend
      FROM driven_run_copies c JOIN driven_runs r ON r.id = c.run WHERE ${LEFT} ORDER BY r.created_at, r.id`
    const rows = await this.#database.run(sql, this.#owners.machine, seconds)
    return rows.map(({ id, machine, repository, backend }) => ({
      ...{ id: String(id), machine: String(machine), repository: String(repository) },
      backend: typeof backend === 'string' ? backend : undefined,
    }))
  }

  async read(run: string): Promise<string | undefined> {
    const content = (await this.#database.get('SELECT content FROM driven_run_copies WHERE run = ?', run))?.['content']
    return typeof content === 'string' ? content : undefined
  }

  /** From now on the run is this machine's. What its machine did after the copy was made is forgotten. False if another was faster. */
  async take({ id, seconds }: { id: string; seconds: number }, rounds: CopiedRounds): Promise<boolean> {
    const [{ machine }, own] = [this.#owners, await this.#owners.name()]
    const hold = (name: string) => this.#owners.hold(name)
    return await this.#database.write(function* (): Steps<boolean> {
      if (!(yield* hold(own))) return false
      const lock = `SELECT r.id FROM driven_runs r WHERE r.id = ? AND ${LEFT} FOR UPDATE`
      if ((yield* get(lock, id, machine, seconds)) === undefined) return false
      for (const { id: run, events } of rounds) {
        yield* all('DELETE FROM driven_run_events WHERE run = ? AND seq > ?', run, events)
        const sql = 'UPDATE driven_runs SET machine = ?, is_moved = true, last_seq = least(last_seq, ?) WHERE id = ?'
        yield* all(sql, machine, events, run)
      }
      yield* notify(
        'run',
        rounds.map(({ id: run }) => run),
      )
      return true
    })
  }

  async movedAway(runs: readonly string[]): Promise<Map<string, string>> {
    const sql = 'SELECT id, machine FROM driven_runs WHERE id = ANY(CAST(? AS text[])) AND is_moved AND machine <> ?'
    const rows = await this.#database.run(sql, [...runs], this.#owners.machine)
    return new Map(rows.map(({ id, machine }) => [String(id), String(machine)]))
  }
}
