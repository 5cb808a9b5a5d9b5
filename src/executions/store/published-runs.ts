/** Driven runs of many machines: what each machine has published about its runs. */

import { NO_KEY, readKeyId } from '../../store/key-ids.ts'
import type { PostgresDatabase } from '../../store/postgres-database.ts'
import { type DatabaseNotice, notify, type PostgresNotices } from '../../store/postgres-notices.ts'
import type { PostgresOwners } from '../../store/postgres-owners.ts'
import { all, get, type Row, type Steps } from '../../store/sql.ts'

/** What a machine publishes about a run. The texts are JSON. */
export type PublishedRun = {
  id: string
  askedBy: string
  /** The name and the id of the API key that it belongs to. */
  apiKey: string | undefined
  keyId: string | undefined
  repository: string
  state: string
  createdAt: string
  updatedAt: string
  /** Nothing can change it any more. */
  isOver: boolean
  lastSeq: number
  summary: string
  detail: string
  /** Undefined: the one that is published stays. */
  diff: string | undefined
  /** The records after those that are published. */
  events: readonly { seq: number; content: string }[]
  /** Whether a process drives it, and whether that is this process. */
  driver: 'this' | 'other' | undefined
}

/** A run as it is stored. `document` is its summary or its detail. */
export type SharedRun = {
  id: string
  machine: string
  askedBy: string
  apiKey: string | undefined
  keyId: string | undefined
  state: string
  lastSeq: number
  document: string
  /** Whether the process that drives it, or published it, is known to be alive. */
  isDriven: boolean
  /** Whether no worker runs on its machine. */
  isMachineGone: boolean
}

/** `keyId` is the id of an API key, `key` its name. */
export type SharedRunQuery = { readonly [F in 'ids' | 'states']?: readonly string[] | undefined } & {
  readonly [F in 'keyId' | 'repository' | 'backend' | 'label' | 'key' | 'search' | 'before']?: string | undefined
} & { readonly limit: number }

/** The states in which a run has a driver. */
export const DRIVEN_STATES: readonly string[] = ['running', 'waiting_for_limit']

/** Of a run whose driver is gone, the state is not what its machine published last. */
const STATE = `CASE WHEN r.state IN (${DRIVEN_STATES.map((state) => `'${state}'`).join(', ')}) AND r.driver IS NULL THEN 'interrupted' ELSE r.state END`
const IS_GONE = 'NOT EXISTS (SELECT 1 FROM processes p WHERE p.machine = r.machine AND p.worker IS NOT NULL)'
const MATCHES = `EXISTS (SELECT FROM (SELECT CAST(? AS text) AS needle) s
  WHERE strpos(lower(CAST(r.summary AS json) ->> 'goal'), s.needle) > 0 OR starts_with(r.id, s.needle))`
const COLUMNS = `r.id, r.machine, r.asked_by, r.api_key, r.key_id, r.state, r.last_seq, r.driver IS NOT NULL AS is_driven,
  ${IS_GONE} AS is_machine_gone`

const REMOVE_BATCH = 100
/** Nothing is lost: its machine publishes it again when it comes back. */
const REMOVE_OLD = `DELETE FROM driven_runs WHERE id IN (SELECT r.id FROM driven_runs r
  WHERE r.updated_at < ? AND r.driver IS NULL AND (r.is_over OR ${IS_GONE}) LIMIT ${REMOVE_BATCH}) RETURNING id`

/** A run that another living process drives is published by that process, and one that was moved only by its new machine. */
const PUBLISH = `
  INSERT INTO driven_runs AS r (id, machine, driver, asked_by, api_key, key_id, repository, state, created_at, updated_at, is_over,
    last_seq, summary, detail, diff)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET machine = excluded.machine, driver = excluded.driver, key_id = excluded.key_id, state = excluded.state,
    updated_at = excluded.updated_at, is_over = excluded.is_over, last_seq = excluded.last_seq, summary = excluded.summary, detail = excluded.detail, diff = coalesce(excluded.diff, r.diff)
  WHERE (r.driver IS NULL OR r.driver = ? OR ?) AND r.last_seq <= excluded.last_seq
    AND (NOT r.is_moved OR r.machine = excluded.machine)
  RETURNING id`
const ADD_EVENTS = `INSERT INTO driven_run_events (run, seq, content)
  SELECT CAST(? AS text), * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[])) ON CONFLICT DO NOTHING`

export class PublishedRuns {
  /** The name of this machine. */
  readonly machine: string
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #notices: PostgresNotices

  constructor(database: PostgresDatabase, { owners, notices }: { owners: PostgresOwners; notices: PostgresNotices }) {
    this.machine = owners.machine
    this.#database = database
    this.#owners = owners
    this.#notices = notices
  }

  /** Calls `listener` with the ids of runs that have changed; undefined if notices may have been missed. */
  watch(listener: (ids: readonly string[] | undefined) => void): () => void {
    return this.#notices.watch(({ type, ids }: DatabaseNotice) => {
      if (type === 'run') listener(ids)
      if (type === 'missed') listener(undefined)
    })
  }

  /** Returns false if nothing was written, because others took this process for dead or another process drives the run. */
  async publish(run: PublishedRun): Promise<boolean> {
    const own = await this.#owners.name()
    return await this.#database.write(() => this.#publish(run, own))
  }

  *#publish(run: PublishedRun, own: string): Steps<boolean> {
    if (!(yield* this.#owners.hold(own))) return false
    const { id, summary, detail, diff = null } = run
    const driver = run.driver === undefined ? null : own
    const place = [id, this.machine, driver, run.askedBy, run.apiKey ?? null, run.keyId ?? NO_KEY, run.repository]
    const facts = [run.state, run.createdAt, run.updatedAt, run.isOver, run.lastSeq]
    const texts = [summary, detail, diff]
    const saved = yield* get(PUBLISH, ...place, ...facts, ...texts, own, run.driver === 'this')
    if (saved === undefined) return false
    if (run.isOver) yield* all('DELETE FROM driven_run_copies WHERE run = ?', id)
    const { events } = run
    const columns = [events.map(({ seq }) => seq), events.map(({ content }) => content)]
    if (events.length > 0) yield* all(ADD_EVENTS, id, ...columns)
    yield* notify('run', [id])
    return true
  }

  /** The runs of a process that is gone have no driver, and its machine may be gone with it. */
  *releaseRunsOf(name: string, machine: string): Steps<void> {
    yield* all('UPDATE driven_runs SET driver = NULL WHERE driver = ?', name)
    const rows = yield* all('SELECT id FROM driven_runs WHERE machine = ? AND NOT is_over', machine)
    const ids = rows.map((row) => String(row['id']))
    if (ids.length > 0) yield* notify('run', ids)
  }

  /** Removes runs that have not changed since this time, if they are over or their machine is gone. Returns how many. */
  async removeOld(changedBefore: string, signal?: AbortSignal): Promise<number> {
    let removed = 0
    for (let count = REMOVE_BATCH; count === REMOVE_BATCH && signal?.aborted !== true; removed += count) {
      count = (await this.#database.run(REMOVE_OLD, changedBefore)).length
    }
    return removed
  }

  /** The runs of this machine that are published: the number of their last event, and their state. */
  async published(): Promise<Map<string, { lastSeq: number; state: string }>> {
    const rows = await this.#database.run('SELECT id, last_seq, state FROM driven_runs WHERE machine = ?', this.machine)
    return new Map(
      rows.map((row) => [String(row['id']), { lastSeq: Number(row['last_seq']), state: String(row['state']) }]),
    )
  }

  /** How many runs each machine drives. */
  async load(): Promise<Map<string, number>> {
    const sql = 'SELECT machine, count(*) AS runs FROM driven_runs WHERE driver IS NOT NULL GROUP BY 1'
    const rows = await this.#database.run(sql)
    return new Map(rows.map((row) => [String(row['machine']), Number(row['runs'])]))
  }

  /** At most two runs with this id, or whose ids begin with it, with their details. */
  async find(id: string, keyId: string | undefined): Promise<SharedRun[]> {
    const key = keyId ?? null
    const sql = `SELECT ${COLUMNS}, r.detail AS document FROM driven_runs r
      WHERE (r.id = ? OR starts_with(r.id, ?)) AND (CAST(? AS text) IS NULL OR r.key_id = ?)
      ORDER BY r.id = ? DESC LIMIT 2`
    return (await this.#database.run(sql, id, id, key, key, id)).map(toSharedRun)
  }

  /** Newest first, with their summaries. One more than the limit if there are more. */
  async list(query: SharedRunQuery): Promise<SharedRun[]> {
    const { keyId, before, limit, search, states, ids } = query
    // Whether another key has such a run is not revealed.
    const isOwn = keyId === undefined ? '' : ' AND b.key_id = r.key_id'
    const wanted = [
      { sql: 'r.key_id = ?', value: keyId },
      { sql: 'r.id = ANY(CAST(? AS text[]))', value: ids && [...ids] },
      { sql: `${STATE} = ANY(CAST(? AS text[]))`, value: states && [...states] },
      { sql: 'r.repository = ?', value: query.repository },
      { sql: 'r.api_key = ?', value: query.key },
      { sql: `CAST(r.summary AS json) ->> 'backend' = ?`, value: query.backend },
      { sql: `CAST(r.summary AS json) ->> 'label' = ?`, value: query.label },
      { sql: MATCHES, value: search?.toLowerCase() },
      {
        sql: `(r.created_at, r.id) < (SELECT b.created_at, b.id FROM driven_runs b WHERE b.id = ?${isOwn})`,
        value: before,
      },
    ].filter(({ value }) => value !== undefined)
    const where = wanted.length === 0 ? '' : `WHERE ${wanted.map(({ sql }) => sql).join(' AND ')}`
    const sql = `SELECT ${COLUMNS}, r.summary AS document FROM driven_runs r ${where}
      ORDER BY r.created_at DESC, r.id DESC LIMIT ?`
    return (await this.#database.run(sql, ...wanted.map(({ value }) => value), limit + 1)).map(toSharedRun)
  }

  /** The records after a number, in order. */
  async events(id: string, after: number): Promise<string[]> {
    const sql = 'SELECT content FROM driven_run_events WHERE run = ? AND seq > ? ORDER BY seq'
    return (await this.#database.run(sql, id, after)).map((row) => String(row['content']))
  }

  async diff(id: string): Promise<string | undefined> {
    const diff = (await this.#database.get('SELECT diff FROM driven_runs WHERE id = ?', id))?.['diff']
    return typeof diff === 'string' ? diff : undefined
  }
}

function toSharedRun(row: Row): SharedRun {
  const apiKey = row['api_key']
  return {
    id: String(row['id']),
    machine: String(row['machine']),
    askedBy: String(row['asked_by']),
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    keyId: readKeyId(row['key_id']),
    state: String(row['state']),
    lastSeq: Number(row['last_seq']),
    document: String(row['document']),
    isDriven: (row['is_driven'] as unknown) === true,
    isMachineGone: (row['is_machine_gone'] as unknown) === true,
  }
}
