/**
 * Tracks which processes use a PostgreSQL store, and decides that one of them is dead.
 *
 * A process renews the time in its row of `processes`. If it has not done so for `deadAfterMs`, any other process may
 * remove the row. In the same transaction it ends what the process was doing. From then on the process cannot write: every
 * transaction that writes as a process first locks the row (`hold`), which a removed row prevents. A process that was only
 * paused finds that out, ends its agents and continues under a new name. So does a process that PostgreSQL has not answered for
 * as long: others may have taken over, and their agents may do the same work.
 *
 * Only the clock of PostgreSQL decides. Right after a start of PostgreSQL no process is dead, because none could renew its
 * row before.
 */
import type { Ids } from '../kit/ids.ts'
import type { Owners } from './owners.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { all, get, type Steps } from './sql.ts'

/** Why a process has lost its name: others took it for dead, or they may have, because PostgreSQL gives no answer. */
export type Loss = 'taken' | 'silent'

export type PostgresOwnersOptions = {
  ids: Ids
  /** The name of this machine. */
  machine: string
  deadAfterMs: number
  /** Called when this process has lost its name. What it runs must end. */
  onLost(loss: Loss): void
  /** Ends the agents of a process that died on this machine. */
  endAgentsOf(name: string): Promise<void>
  /** Called when this process has looked for dead ones. A machine is gone if it had no worker for this many seconds. */
  endStranded(goneAfterSecs: number): Promise<void>
  /** Ends what a process was doing that is gone from a machine. Returns the number of its turns. */
  endWorkOf(name: string, machine: string): Steps<number>
}

/** `retention`: a server removes what is too old. `unkept`: a worker removes what is not to be kept. */
export type SweepTask = 'retention' | 'unkept'

const NAME_BYTES = 16
/** A process renews its row this often within the time after which it would be dead. */
const RENEWALS = 4
/** A machine that does not come back has nothing to clean up. */
const FORGET_AGENTS = "interval '30 days'"

/** The process that does the task keeps it as long as others take it for alive. */
const LEAD = `INSERT INTO sweepers AS s (task, process) VALUES (?, ?) ON CONFLICT (task) DO UPDATE SET process = excluded.process
  WHERE s.process = excluded.process OR NOT EXISTS (SELECT 1 FROM processes p WHERE p.name = s.process) RETURNING task`

const IS_DEAD = `seen_at < now() - make_interval(secs => ?)
  AND pg_postmaster_start_time() < now() - make_interval(secs => ?)`

export class PostgresOwners implements Owners {
  readonly machine: string
  readonly #database: PostgresDatabase
  readonly #options: PostgresOwnersOptions
  #own: Promise<string> | undefined
  #worker: string | null = null
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** When this process last renewed its row, or PostgreSQL did not run, so that no other process could find it dead. */
  #safeAt = 0

  constructor(database: PostgresDatabase, options: PostgresOwnersOptions) {
    this.#database = database
    this.#options = options
    this.machine = options.machine
  }

  /** The name of this process. The first call creates it. */
  async name(): Promise<string> {
    this.#own ??= this.#takeName()
    const own = this.#own
    try {
      return await own
    } catch (error) {
      if (this.#own === own) this.#own = undefined
      throw error
    }
  }

  /** The name of this process, if it has one. */
  async takenName(): Promise<string | undefined> {
    return await this.#own?.catch(() => undefined)
  }

  /** Makes known what this process can run; null: nothing any more. */
  async announce(worker: string | null): Promise<void> {
    this.#worker = worker
    await this.#database.run('UPDATE processes SET worker = ? WHERE name = ?', worker, await this.name())
    await this.#noteMachine()
  }

  /** Whether this process does a task that one process does for all of them. */
  async leads(task: SweepTask): Promise<boolean> {
    return (await this.#database.get(LEAD, task, await this.name())) !== undefined
  }

  *hold(name: string): Steps<boolean> {
    const isAlive = (yield* get('SELECT 1 FROM processes WHERE name = ? FOR KEY SHARE', name)) !== undefined
    if (!isAlive) this.#lose(name)
    return isAlive
  }

  /** Ends the work of dead processes, and the agents that they left on this machine. */
  async endDead(): Promise<{ ended: number; deadOwners: string[] }> {
    await this.#endLeftAgents()
    const seconds = this.#options.deadAfterMs / 1000
    const dead = await this.#database.run(`SELECT name FROM processes WHERE ${IS_DEAD}`, seconds, seconds)
    const deadOwners: string[] = []
    let ended = 0
    for (const row of dead) {
      const name = String(row['name'])
      const turns = await this.#endIfDead(name)
      if (turns === undefined) continue
      deadOwners.push(name)
      ended += turns
    }
    return { ended, deadOwners }
  }

  async endIfDead(name: string): Promise<boolean> {
    if ((await this.#endIfDead(name)) !== undefined) return true
    return (await this.#database.get('SELECT 1 FROM processes WHERE name = ?', name)) === undefined
  }

  /** Returns the number of its turns; undefined if it is alive, or if another process has ended its work. */
  async #endIfDead(name: string): Promise<number | undefined> {
    const seconds = this.#options.deadAfterMs / 1000
    const isDead = 'SELECT machine FROM processes WHERE name = ? AND'
    const found = await this.#database.get(`${isDead} ${IS_DEAD}`, name, seconds, seconds)
    if (found === undefined) return undefined
    // Before its sessions can be used again.
    if (found['machine'] === this.machine) await this.#options.endAgentsOf(name)
    return await this.#database.write(() => this.#remove(name))
  }

  *#remove(name: string): Steps<number | undefined> {
    const seconds = this.#options.deadAfterMs / 1000
    const remove = `DELETE FROM processes WHERE name = ? AND ${IS_DEAD} RETURNING machine`
    const removed = yield* get(remove, name, seconds, seconds)
    if (removed === undefined) return undefined
    if (removed['machine'] !== this.machine) {
      const note = 'INSERT INTO left_agents (owner, machine) VALUES (?, ?) ON CONFLICT DO NOTHING'
      yield* all(note, name, removed['machine'])
    }
    return yield* this.#options.endWorkOf(name, String(removed['machine']))
  }

  async endOwnWork(): Promise<void> {
    clearInterval(this.#timer)
    const name = await this.takenName()
    this.#own = undefined
    if (name !== undefined) await this.#database.write(() => this.#leave(name))
  }

  *#leave(name: string): Steps<void> {
    yield* this.#options.endWorkOf(name, this.machine)
    yield* all('DELETE FROM processes WHERE name = ?', name)
  }

  /** Others find a process dead that could not remove its row. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
  }

  async #takeName(): Promise<string> {
    const name = this.#options.ids.hex(NAME_BYTES)
    const add = 'INSERT INTO processes (name, machine, worker) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    this.#safeAt = performance.now()
    await this.#database.run(add, name, this.machine, this.#worker)
    const everyMs = this.#options.deadAfterMs / RENEWALS
    this.#timer ??= setInterval(() => void this.#renew().catch(() => {}), everyMs).unref()
    return name
  }

  /** A failure needs no report: whatever else the process does with the store fails too. */
  async #renew(): Promise<void> {
    const name = await this.takenName()
    if (name === undefined) return
    if (!(await this.#renewRow(name))) this.#lose(name)
    if (this.#isLooking) return
    this.#isLooking = true
    await this.#lookAround().finally(() => {
      this.#isLooking = false
    })
  }

  /** Every process looks, so that a dead one is found as long as one lives. */
  async #lookAround(): Promise<void> {
    if (this.#worker !== null) await this.#noteMachine()
    await this.endDead()
    await this.#options.endStranded(this.#options.deadAfterMs / 1000)
  }

  /** One dead connection must not cost the name, so an attempt is short, and others begin meanwhile. */
  async #renewRow(name: string): Promise<boolean> {
    const { deadAfterMs } = this.#options
    const at = performance.now()
    const sql = 'UPDATE processes SET seen_at = now() WHERE name = ? RETURNING name'
    try {
      const row = await this.#database.getWithin(deadAfterMs / 2, sql, name)
      this.#safeAt = Math.max(this.#safeAt, at)
      return row !== undefined
    } catch (error) {
      if (this.#database.isDown(error)) this.#safeAt = Math.max(this.#safeAt, at)
      if (performance.now() - this.#safeAt >= deadAfterMs) this.#lose(name, 'silent')
      throw error
    }
  }

  async #noteMachine(): Promise<void> {
    const sql =
      'INSERT INTO machines (name, seen_at) VALUES (?, now()) ON CONFLICT (name) DO UPDATE SET seen_at = now()'
    await this.#database.run(sql, this.machine)
  }

  /** This process gets a new name when it needs one. */
  #lose(name: string, loss: Loss = 'taken'): void {
    void this.takenName().then((own) => {
      if (own !== name) return
      this.#own = undefined
      this.#options.onLost(loss)
    })
  }

  async #endLeftAgents(): Promise<void> {
    await this.#database.run(`DELETE FROM left_agents WHERE died_at < now() - ${FORGET_AGENTS}`)
    const rows = await this.#database.run('SELECT owner FROM left_agents WHERE machine = ?', this.machine)
    for (const row of rows) {
      await this.#options.endAgentsOf(String(row['owner']))
      await this.#database.run('DELETE FROM left_agents WHERE owner = ?', row['owner'])
    }
  }
}
