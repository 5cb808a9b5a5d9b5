/** The queue of executions in PostgreSQL: rows of `executions` that no process owns yet. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { HEAD_START_SECS, type QueueShare } from '../../prompts/fair-queue.ts'
import { sessionMachineGone } from '../../sessions/faults.ts'
import type { LostTurn } from '../../sessions/session-table.ts'
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { NOTIFY, notify, writeNotice } from '../../store/postgres-notices.ts'
import type { PostgresOwners } from '../../store/postgres-owners.ts'
import { all, get, type Row, type Steps } from '../../store/sql.ts'
import { toExecutionError } from './execution-end.ts'
import { ADDED, toInsert } from './execution-rows.ts'
import { addAttachments } from './execution-table.ts'
import { ENDED_COLUMNS, type SqlExecutionStore } from './sql-execution-store.ts'
import type {
  ClaimedWork,
  KnownWorker,
  QueuedWork,
  QueueLoad,
  QueueSight,
  SessionHome,
  WorkerFacts,
  WorkQueue,
} from './work-queue.ts'

/** A number that only claims with limits lock, so that two at once do not exceed a limit. */
const CLAIM_LOCK = 0x64726f77
/** How long other processes can read an execution that nothing is kept of. */
const UNKEPT_MS = 60_000
const UNKEPT_BATCH = 200

const FREE = "e.owner = '' AND e.ended_at IS NULL"
const HAS_DIRECTORY = `(e.workdir IS NULL OR cardinality(CAST(? AS text[])) = 0 OR EXISTS (
    SELECT 1 FROM unnest(CAST(? AS text[])) AS place
    WHERE starts_with(rtrim(e.workdir, '/') || '/', rtrim(place, '/') || '/')))`
/** The machine of its session is gone, and another one can continue it. */
const CAN_MOVE = `(NOT EXISTS (SELECT 1 FROM processes p WHERE p.machine = e.machine AND p.worker IS NOT NULL)
    AND EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = e.session_id))`
const IN_TURN = 'head.rank_at > now(), head.running, head.turn, head.rank_at, head.number'
/** A worker remembers the turns of as many keys. */
const MAX_TURNS = 1000
/** Of each key this many are looked at, so that as many workers find something at once. */
const HEADS = 8
/**
 * Those of the key that runs least come first, then of the one whose last turn at this worker was longest ago, then by rank. What has
 * a rank that is still to come lets all keys pass. Turns of a session run in order. A machine that drains gets nothing. Only the first executions of each key are read, however many wait: `keys` leaps from key to key in the index.
 */
const CLAIM = `
  WITH RECURSIVE me AS (SELECT name FROM processes p WHERE name = ?
    AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.name = p.machine AND m.is_draining) FOR KEY SHARE OF p),
  running AS MATERIALIZED (SELECT key_id, backend, count(*) AS count FROM executions
    WHERE ended_at IS NULL AND owner <> '' GROUP BY 1, 2),
  of_key AS MATERIALIZED (SELECT key_id, sum(count) AS count FROM running GROUP BY 1),
  of_backend AS MATERIALIZED (SELECT backend, sum(count) AS count FROM running GROUP BY 1),
  keys AS (
    (SELECT e.key_id FROM executions e WHERE ${FREE} ORDER BY e.key_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.key_id FROM executions e WHERE ${FREE} AND e.key_id > keys.key_id ORDER BY e.key_id LIMIT 1)
    FROM keys WHERE keys.key_id IS NOT NULL),
  heads AS MATERIALIZED (
    SELECT head.number, head.rank_at, coalesce(of_key.count, 0) AS running,
      coalesce(array_position(CAST(? AS text[]), keys.key_id), 0) AS turn
    FROM keys LEFT JOIN of_key ON of_key.key_id = keys.key_id
    CROSS JOIN LATERAL (
      SELECT e.number, e.rank_at FROM executions e
      WHERE ${FREE} AND e.key_id = keys.key_id
        AND e.backend = ANY(CAST(? AS text[])) AND (e.label IS NULL OR e.label = ANY(CAST(? AS text[])))
        AND (e.machine IS NULL OR e.machine = ? OR ${CAN_MOVE}) AND ${HAS_DIRECTORY}
        AND (e.session_id IS NULL OR NOT EXISTS (
          SELECT 1 FROM executions o WHERE o.session_id = e.session_id AND o.number < e.number AND o.ended_at IS NULL))
        AND (? = 0 OR ? > coalesce((SELECT count FROM of_backend WHERE of_backend.backend = e.backend), 0))
      ORDER BY e.rank_at, e.number LIMIT ${HEADS}) AS head
    WHERE ? = 0 OR ? > coalesce(of_key.count, 0)),
  next AS (
    SELECT e.number FROM (SELECT * FROM heads AS head ORDER BY ${IN_TURN} LIMIT ${4 * HEADS}) AS head
    JOIN executions e ON e.number = head.number
    WHERE ${FREE} AND EXISTS (SELECT 1 FROM me)
    ORDER BY ${IN_TURN} LIMIT 1 FOR UPDATE OF e SKIP LOCKED),
  counted AS (UPDATE machines SET claims = claims + 1 WHERE name = ? AND EXISTS (SELECT 1 FROM next))
  UPDATE executions SET owner = ? FROM next WHERE executions.number = next.number
  RETURNING id, request, last_seq, created_at, key_id`

/** A hundredth of what a claim costs. Workers that have nothing to do ask nothing else. */
const LOOK = `SELECT EXISTS (SELECT 1 FROM machines WHERE name = ? AND is_draining) AS is_draining,
  EXISTS (SELECT 1 FROM executions e WHERE ${FREE}) AS has_waiting`

/** Turns that wait for a machine that is gone, if no other machine can continue their session. */
const STRANDED = `SELECT machine, ${ENDED_COLUMNS} FROM executions e
  WHERE ${FREE} AND machine IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM processes p WHERE p.machine = e.machine AND p.worker IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = e.session_id)
    AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.name = e.machine AND m.seen_at > now() - make_interval(secs => ?))
  FOR UPDATE SKIP LOCKED`

/** What a process has taken and not started. */
const GIVE_BACK = `UPDATE executions SET owner = '' WHERE owner = ? AND ended_at IS NULL AND state = 'queued'
  AND request IS NOT NULL AND id <> ALL(CAST(? AS text[])) RETURNING id`

const COUNT_LOST = `UPDATE machines SET lost = lost + (SELECT count(*) FROM executions WHERE owner = ? AND ended_at IS NULL)
  WHERE name = ?`

const ROW = [...ADDED, 'request', 'machine', 'waiter', 'rank_at']
const VALUES = [...ROW.slice(1).map(() => '?'), 'now() + make_interval(secs => ?)']
/** One statement, because each takes a round trip. */
const ADD = `
  WITH added AS (
    INSERT INTO executions (${ROW.join(', ')}) VALUES (${VALUES.join(', ')}) RETURNING number, created_at),
  event AS (
    INSERT INTO execution_events (execution, seq, at, type, content) SELECT number, 1, created_at, 'state', ? FROM added)
  SELECT number, ${NOTIFY}, ${NOTIFY} FROM added`

type QueueParts = { owners: PostgresOwners; executions: SqlExecutionStore; clock: Clock }

export class PostgresWorkQueue implements WorkQueue {
  readonly machine: string
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #executions: SqlExecutionStore
  readonly #clock: Clock
  /** The keys in the order of their last turns here. */
  #turns: readonly string[] = []

  constructor(database: PostgresDatabase, { owners, executions, clock }: QueueParts) {
    this.#database = database
    this.#owners = owners
    this.#executions = executions
    this.#clock = clock
    this.machine = owners.machine
  }

  async add(queuedWork: QueuedWork): Promise<void> {
    const { execution, keep, countsUsage, request, machine, waiter, priority = 'normal', attachments = [] } = queuedWork
    const content = JSON.stringify({ state: 'queued' })
    const row = toInsert(
      { ...execution, owner: '', last_seq: 1 },
      { keep, isUsageDue: countsUsage, eventBytes: content.length },
    )
    const notices = [writeNotice('queue'), writeNotice('changed', [execution.id])]
    const place = [machine ?? null, waiter ?? null, HEAD_START_SECS[priority]]
    const values = [...row, request, ...place, content, ...notices]
    if (attachments.length === 0) return void (await this.#database.run(ADD, ...values))
    await this.#database.write(function* () {
      const added = yield* get(ADD, ...values)
      yield* addAttachments(Number(added?.['number']), attachments)
    })
  }

  async claim(
    { backends, repositories, labels = [] }: WorkerFacts,
    { perKey, perBackend }: { perKey: number; perBackend: number },
  ): Promise<ClaimedWork | undefined> {
    const owner = await this.#owners.name()
    const place = [backends, labels, this.machine, repositories, repositories]
    const limits = [perBackend, perBackend, perKey, perKey]
    const values = [owner, this.#turns, ...place, ...limits, this.machine, owner]
    const row = await this.#database.write(function* () {
      if (perKey + perBackend > 0) yield* all('SELECT pg_advisory_xact_lock(?)', CLAIM_LOCK)
      // PostgreSQL underestimates how many wait, and would read and sort all of them.
      yield* all('SET LOCAL enable_bitmapscan = off')
      return yield* get(CLAIM, ...values)
    })
    if (row === undefined) return undefined
    const key = String(row['key_id'])
    this.#turns = [...this.#turns.filter((each) => each !== key), key].slice(-MAX_TURNS)
    return toClaimed(row)
  }

  async release(running: readonly string[]): Promise<void> {
    const owner = await this.#owners.takenName()
    if (owner !== undefined) await this.#database.run(GIVE_BACK, owner, running)
  }

  /**
   * Ends what a process that is gone was doing. What it has taken and not started goes back; what it has started is lost, and
   * what only its clients waited for is cancelled. Returns what is lost.
   */
  *endWorkOf(owner: string, machine: string): Steps<LostTurn[]> {
    if ((yield* all(GIVE_BACK, owner, [])).length > 0) yield* notify('queue')
    yield* all(COUNT_LOST, owner, machine)
    const lost = yield* this.#executions.loseOwnedBy(owner)
    yield* this.#executions.cancel('waiter', owner)
    return lost
  }

  /** A machine is gone if it had no worker for this time. */
  async endStranded(goneAfterSecs: number): Promise<void> {
    const executions = this.#executions
    await this.#database.write(function* () {
      const rows = yield* all(STRANDED, goneAfterSecs)
      yield* executions.end(rows, ({ session_id: id, machine }) => {
        return {
          state: 'failed',
          error: toExecutionError(sessionMachineGone({ id: String(id), machine: String(machine) })),
        }
      })
    })
  }

  async announce(worker: WorkerFacts | undefined): Promise<void> {
    await this.#owners.announce(worker === undefined ? null : JSON.stringify(worker))
  }

  async workers(): Promise<KnownWorker[]> {
    const rows = await this.#database.run(`SELECT machine, worker FROM processes p WHERE worker IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.name = p.machine AND m.is_draining)`)
    return rows.map((row) => ({ machine: String(row['machine']), ...JSON.parse(String(row['worker'])) }))
  }

  async endDraining(): Promise<void> {
    await this.#database.run('UPDATE machines SET is_draining = false WHERE name = ? AND is_draining', this.machine)
  }

  async look(): Promise<QueueSight> {
    const row: Record<string, unknown> | undefined = await this.#database.get(LOOK, this.machine)
    return { isDraining: row?.['is_draining'] === true, hasWaiting: row?.['has_waiting'] === true }
  }

  async homeOf(session: string): Promise<SessionHome | undefined> {
    const sql = `SELECT machine, EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = s.id) AS is_portable
      FROM sessions s WHERE id = ?`
    const row = await this.#database.get(sql, session)
    return row && { machine: String(row['machine']), isPortable: (row['is_portable'] as unknown) === true }
  }

  async load(): Promise<QueueLoad> {
    const sql = `SELECT label, count(*) FILTER (WHERE owner = '') AS waiting, count(*) FILTER (WHERE owner <> '') AS running,
        min(created_at) FILTER (WHERE owner = '') AS oldest
      FROM executions WHERE ended_at IS NULL AND request IS NOT NULL GROUP BY label`
    const rows = await this.#database.run(sql)
    const sum = (name: 'waiting' | 'running') => rows.reduce((all, row) => all + Number(row[name]), 0)
    const times = rows.flatMap(({ oldest }) => (typeof oldest === 'string' ? [Date.parse(oldest)] : []))
    const oldestMs = times.length === 0 ? 0 : this.#clock.now().getTime() - Math.min(...times)
    const labeled = rows.flatMap(({ label, waiting }): [string, number][] =>
      label === null ? [] : [[String(label), Number(waiting)]],
    )
    return {
      ...{ waiting: sum('waiting'), running: sum('running'), oldestSecs: Math.max(0, oldestMs / 1000) },
      labeled: new Map(labeled.filter(([, waiting]) => waiting > 0)),
    }
  }

  async share(keyId: string): Promise<QueueShare> {
    const sql = `SELECT count(*) AS waiting, count(*) FILTER (WHERE key_id = ?) AS own,
        count(DISTINCT key_id) FILTER (WHERE key_id <> ?) AS others
      FROM executions WHERE ended_at IS NULL AND request IS NOT NULL AND owner = ''`
    const row = await this.#database.get(sql, keyId, keyId)
    const [waiting, ownWaiting] = [Number(row?.['waiting']), Number(row?.['own'])]
    return { waiting, ownWaiting, clients: Number(row?.['others']) + 1 }
  }

  async removeUnkept(id?: string): Promise<void> {
    if (id !== undefined) {
      await this.#database.write(() => removeSomeUnkept('ended_at IS NOT NULL AND id = ?', id))
      return
    }
    if (!(await this.#owners.leads('unkept'))) return
    const before = toTimestamp(new Date(this.#clock.now().getTime() - UNKEPT_MS))
    while ((await this.#database.write(() => removeSomeUnkept('ended_at < ?', before))) >= UNKEPT_BATCH);
  }
}

/** At most a batch of each kind. Returns how many. */
function* removeSomeUnkept(ended: string, value: string): Steps<number> {
  const some = (kept: string) => `number IN (
    SELECT number FROM executions WHERE ${kept} AND ${ended} ORDER BY ended_at LIMIT ${UNKEPT_BATCH} FOR UPDATE SKIP LOCKED)`
  const removed = yield* all(`DELETE FROM executions WHERE ${some("keep = 'none'")} RETURNING number`, value)
  const emptied = `UPDATE executions SET last_seq = 0 WHERE ${some("keep = 'results' AND last_seq > 0")} RETURNING number`
  const numbers = (yield* all(emptied, value)).map((row) => row['number'])
  if (numbers.length > 0) yield* all('DELETE FROM execution_events WHERE execution = ANY(?)', numbers)
  return removed.length + numbers.length
}

function toClaimed(row: Row): ClaimedWork {
  return {
    id: String(row['id']),
    request: String(row['request']),
    lastSeq: Number(row['last_seq']),
    createdAt: String(row['created_at']),
  }
}
