/** The machines that have had workers: what they do, and how they are told to stop. */
import { WAITS_FOR_LABELS } from '../../store/inspect-postgres.ts'
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { notify } from '../../store/postgres-notices.ts'
import { all, get, type Row, type Steps } from '../../store/sql.ts'
import { machineInUse, machineNotFound } from './faults.ts'
import type { ForgottenMachine, Machine, MachineList } from './machines.shape.ts'
import type { WorkerFacts } from './work-queue.ts'

const WORKERS = 'FROM processes p WHERE p.machine = m.name AND p.worker IS NOT NULL'
const MACHINES = `SELECT m.name, m.is_draining, m.claims, m.lost,
    to_char(m.seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen_at,
    ARRAY(SELECT p.worker ${WORKERS}) AS workers,
    (SELECT count(*) FROM processes p JOIN executions e ON e.owner = p.name AND e.ended_at IS NULL
      WHERE p.machine = m.name) AS running,
    (SELECT count(*) FROM driven_runs r WHERE r.machine = m.name AND r.driver IS NOT NULL) AS runs
  FROM machines m`

export class Machines {
  readonly #database: PostgresDatabase

  constructor(database: PostgresDatabase) {
    this.#database = database
  }

  async list(): Promise<MachineList> {
    const [rows, waits] = await Promise.all([
      this.#database.run(`${MACHINES} ORDER BY m.name`),
      this.#database.run(WAITS_FOR_LABELS),
    ])
    const labels = waits.map(({ label, waiting }) => ({ label: String(label), waiting: Number(waiting) }))
    return { machines: rows.map(toMachine), waits_for_labels: labels }
  }

  /** From now on it gets nothing from the queue, and its workers end when what they run has ended. */
  async drain(name: string): Promise<Machine> {
    return await this.#database.write(function* () {
      yield* all('UPDATE machines SET is_draining = true WHERE name = ?', name)
      // Workers look at once.
      yield* notify('queue')
      return yield* find(name)
    })
  }

  /** Removes what is known of a machine that does not come back. Turns that wait for it end. */
  async forget(name: string): Promise<ForgottenMachine> {
    return await this.#database.write(function* () {
      const { state } = yield* find(name)
      if (state === 'working' || state === 'draining') throw machineInUse({ machine: name })
      yield* all('DELETE FROM machines WHERE name = ?', name)
      yield* all('DELETE FROM left_agents WHERE machine = ?', name)
      const runs = yield* all('DELETE FROM driven_runs WHERE machine = ? AND driver IS NULL RETURNING id', name)
      return { name, runs_removed: runs.length }
    })
  }
}

function* find(name: string): Steps<Machine> {
  const row = yield* get(`${MACHINES} WHERE m.name = ?`, name)
  if (row === undefined) throw machineNotFound({ machine: name })
  return toMachine(row)
}

function toMachine(row: Row): Machine {
  const workers = (row['workers'] as unknown as string[]).map((text): WorkerFacts => JSON.parse(text))
  const united = (of: (worker: WorkerFacts) => readonly string[]) => [...new Set(workers.flatMap(of))].sort()
  return {
    name: String(row['name']),
    state: stateOf({ isDraining: (row['is_draining'] as unknown) === true, hasWorkers: workers.length > 0 }),
    seen_at: String(row['seen_at']),
    labels: united(({ labels = [] }) => labels),
    backends: united(({ backends }) => backends),
    slots: workers.reduce((sum, { slots }) => sum + slots, 0),
    ...{ running: Number(row['running']), runs: Number(row['runs']) },
    ...{ claims: Number(row['claims']), lost: Number(row['lost']) },
  }
}

function stateOf({ isDraining, hasWorkers }: { isDraining: boolean; hasWorkers: boolean }): Machine['state'] {
  if (isDraining) return hasWorkers ? 'draining' : 'drained'
  return hasWorkers ? 'working' : 'gone'
}
