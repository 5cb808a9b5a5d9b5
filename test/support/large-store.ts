/** A PostgreSQL store with as many rows as a company has after months. */
import { createPostgresDatabase, runSql } from './postgres.ts'

const time = (ago: string) => `to_char(now() AT TIME ZONE 'UTC' - (${ago}), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const ENDED = `INSERT INTO executions (id, state, kind, backend, owner, keep, is_demo, created_at, ended_at, last_seq, bytes, is_usage_due,
    key_id, session_id, prompt)
  SELECT 'exec_' || lpad(to_hex(n), 24, '0'), 'completed', 'prompt', 'claude', 'gone',
    CASE n % 3 WHEN 0 THEN 'results' ELSE 'events' END, 0, ${time("n * interval '300 ms'")}, ${time("n * interval '300 ms'")},
    CASE n % 3 WHEN 0 THEN 0 ELSE 1 END, 300, 0, 'key-' || n % 20, lpad(to_hex(n), 32, '0'), repeat('x', 200)
  FROM generate_series(1, CAST($1 AS int)) AS n`
const EVENTS = `INSERT INTO execution_events (execution, seq, at, type, content)
  SELECT number, 1, created_at, 'state', '{}' FROM executions WHERE keep = 'events'`
const SESSIONS = `INSERT INTO sessions (id, backend, status, created_at, last_used, working_dir, machine, turn_count, input_tokens,
    output_tokens, cached_tokens, reasoning_tokens, tags, metadata, policy, is_demo, initial_prompt_start, initial_prompt, search_text, key_id)
  SELECT lpad(to_hex(n), 32, '0'), 'claude', 'completed', ${time("n * interval '1 s'")}, ${time("n * interval '1 s'")}, '/work', 'here', 1, 1,
    1, 0, 0, '[]', '{}', '{}', 0, 'a prompt', 'a prompt', 'a prompt', 'key-' || n % 20
  FROM generate_series(1, CAST($1 AS int)) AS n`
const RUNS = `INSERT INTO driven_runs (id, machine, asked_by, repository, state, created_at, updated_at, is_over, last_seq, summary, detail)
  SELECT 'run-' || n, 'there-' || n % 50, 'a', '/work', 'done', ${time("n * interval '1 s'")}, ${time("n * interval '1 s'")}, true, 1, '{}', '{}'
  FROM generate_series(1, CAST($1 AS int)) AS n`
const NOTIFICATIONS = `INSERT INTO outbox (id, target, stream, body, state, attempts, created_at, due_at)
  SELECT 'event-' || n, 'chat', 'a', '', 'delivered', 1, ${time("n * interval '1 s'")}, ${time("n * interval '1 s'")}
  FROM generate_series(1, CAST($1 AS int)) AS n`
/** Half of them are turns of sessions, whose turns run in order. */
const WAITING = `INSERT INTO executions (id, state, kind, backend, owner, keep, is_demo, created_at, last_seq, bytes, is_usage_due, key_id,
    session_id, prompt, request)
  SELECT 'exec_f' || lpad(to_hex(n), 23, '0'), 'queued', 'prompt', 'claude', '', 'events', 0, ${time("interval '1 s'")}, 1, 300, 1,
    'key-' || n % 20, CASE (n / 20) % 2 WHEN 0 THEN 'session-' || n % 1000 END, repeat('x', 200), '{}'
  FROM generate_series(1, CAST($1 AS int)) AS n`

type Sizes = { executions: number; waiting?: number }

/** The address of a store with this many executions, and a tenth as many of everything else. */
export async function createLargeStore(sizes: Sizes): Promise<string> {
  const url = await createPostgresDatabase()
  await fillStore(url, sizes)
  return url
}

export async function fillStore(url: string, { executions, waiting = 0 }: Sizes): Promise<void> {
  await runSql(url, ENDED, [executions])
  await runSql(url, EVENTS)
  for (const sql of [SESSIONS, RUNS, NOTIFICATIONS]) await runSql(url, sql, [executions / 10])
  await runSql(url, WAITING, [waiting])
  await runSql(url, 'VACUUM ANALYZE')
}
