/**
 * The migrations of a PostgreSQL store. The table `schema_version` has the number of migrations that it has been through.
 *
 * The tables of sessions, executions, keys and usage have the columns of the SQLite file (migrations.ts), so that both
 * stores share the code that converts rows. Differences:
 *
 * - PostgreSQL stores long texts outside of their rows, so whole prompts are columns of `sessions`.
 * - `processes` has a row for every process that runs turns. It is removed with the process, or when others find it dead
 *   (postgres-owners.ts). `left_agents` has dead processes whose agents may still run on their machine.
 * - An execution whose `owner` is '' waits in the queue. `request` is what a worker needs to run it. Only a worker on
 *   `machine` may, if that is set, or any worker if that machine is gone and `session_files` has the session. `waiter` is the
 *   process whose client waits for it; without that process it is cancelled.
 * - `machines` has when a worker of each machine was last seen, and whether its workers are to end.
 * - `driven_runs` and `driven_run_events` are copies of runs and of the records of their drivers, which are in repositories on
 *   their machines. `driver` is the process that drives the run. `run_calls` are requests that wait for the machine of a run.
 *
 * Text is compared byte by byte (`COLLATE "C"`), as SQLite does, whatever the database is set to.
 */
import { NO_KEY, UNDECIDED } from './key-ids.ts'

const FIRST = `
  CREATE TABLE processes (
    name TEXT COLLATE "C" PRIMARY KEY,
    machine TEXT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    seen_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    worker TEXT
  );
  CREATE TABLE left_agents (
    owner TEXT COLLATE "C" PRIMARY KEY,
    machine TEXT NOT NULL,
    died_at TIMESTAMPTZ NOT NULL DEFAULT now()
  );

  CREATE TABLE sessions (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    backend TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    last_used TEXT COLLATE "C" NOT NULL,
    working_dir TEXT COLLATE "C" NOT NULL CHECK (working_dir <> ''),
    machine TEXT NOT NULL,
    backend_session_id TEXT,
    model TEXT COLLATE "C",
    turn_count BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    thread_usage TEXT,
    tags TEXT NOT NULL,
    title TEXT,
    parent_id TEXT,
    owner TEXT COLLATE "C",
    error_message TEXT,
    metadata TEXT NOT NULL,
    policy TEXT NOT NULL,
    is_demo INTEGER NOT NULL,
    system_prompt_start TEXT,
    initial_prompt_start TEXT NOT NULL,
    system_prompt TEXT,
    initial_prompt TEXT NOT NULL,
    search_text TEXT COLLATE "C" NOT NULL,
    CHECK ((status = 'active') = (owner IS NOT NULL))
  );
  CREATE INDEX sessions_by_use ON sessions (last_used, id);
  CREATE INDEX sessions_by_backend ON sessions (backend, last_used, id);
  CREATE INDEX sessions_by_status ON sessions (status, last_used, id);
  CREATE INDEX sessions_by_model ON sessions (model, last_used, id);
  CREATE INDEX sessions_by_workdir ON sessions (working_dir, last_used, id);
  CREATE INDEX sessions_by_owner ON sessions (owner) WHERE owner IS NOT NULL;
  CREATE INDEX sessions_by_tag ON sessions USING gin ((tags::jsonb) jsonb_path_ops);
  DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX sessions_by_text ON sessions USING gin (search_text gin_trgm_ops);
  EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'searches will be slow: %', SQLERRM;
  END $$;

  CREATE TABLE executions (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    state TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    parent_id TEXT COLLATE "C",
    session_id TEXT COLLATE "C",
    backend TEXT COLLATE "C",
    model TEXT,
    workdir TEXT,
    owner TEXT COLLATE "C" NOT NULL,
    api_key TEXT COLLATE "C",
    keep TEXT NOT NULL,
    is_demo INTEGER NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    started_at TEXT,
    ended_at TEXT COLLATE "C",
    usage TEXT,
    error TEXT,
    cost_usd DOUBLE PRECISION,
    last_seq BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    is_cancel_requested INTEGER NOT NULL DEFAULT 0,
    is_usage_due INTEGER NOT NULL,
    prompt_start TEXT,
    prompt TEXT,
    client_request TEXT,
    result TEXT,
    request TEXT,
    machine TEXT,
    waiter TEXT COLLATE "C"
  );
  CREATE INDEX executions_by_state ON executions (state, number);
  CREATE INDEX executions_by_backend ON executions (backend, number) WHERE backend IS NOT NULL;
  CREATE INDEX executions_by_session ON executions (session_id, number) WHERE session_id IS NOT NULL;
  CREATE INDEX executions_by_parent ON executions (parent_id, number) WHERE parent_id IS NOT NULL;
  CREATE INDEX executions_by_key ON executions (api_key, number) WHERE api_key IS NOT NULL;
  CREATE INDEX executions_by_time ON executions (created_at);
  CREATE INDEX executions_running ON executions (owner, number) WHERE ended_at IS NULL;
  CREATE INDEX executions_by_waiter ON executions (waiter) WHERE ended_at IS NULL AND waiter IS NOT NULL;
  CREATE INDEX executions_by_end ON executions (ended_at, bytes) WHERE ended_at IS NOT NULL;

  CREATE TABLE execution_events (
    execution BIGINT NOT NULL REFERENCES executions (number) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    at TEXT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (execution, seq)
  );

  CREATE TABLE idempotency_keys (
    api_key TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    digest TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (api_key, key)
  );
  CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

  CREATE TABLE usage (
    day TEXT COLLATE "C" NOT NULL,
    api_key TEXT COLLATE "C" NOT NULL,
    backend TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    completed BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    cancelled BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    cost_usd DOUBLE PRECISION,
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY (day, api_key, backend, model)
  );

  CREATE TABLE session_files (
    session_id TEXT COLLATE "C" PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    directory TEXT NOT NULL,
    content BYTEA NOT NULL,
    turn_count BIGINT NOT NULL
  );

  CREATE TABLE machines (
    name TEXT COLLATE "C" PRIMARY KEY,
    seen_at TIMESTAMPTZ NOT NULL
  );

  CREATE TABLE approvals (
    execution_id TEXT COLLATE "C" NOT NULL,
    approval_id TEXT COLLATE "C" NOT NULL,
    approval TEXT NOT NULL,
    decision TEXT,
    PRIMARY KEY (execution_id, approval_id)
  );

  CREATE TABLE rate_limits (
    client TEXT COLLATE "C" PRIMARY KEY,
    tokens DOUBLE PRECISION NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL
  );

  CREATE FUNCTION delete_conversation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM executions WHERE session_id = OLD.id AND ended_at IS NOT NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER conversation_deleted AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION delete_conversation();
`

const DRIVEN_RUNS = `
  CREATE TABLE driven_runs (
    id TEXT COLLATE "C" PRIMARY KEY,
    machine TEXT COLLATE "C" NOT NULL,
    driver TEXT COLLATE "C",
    asked_by TEXT NOT NULL,
    api_key TEXT COLLATE "C",
    repository TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    is_over BOOLEAN NOT NULL,
    last_seq BIGINT NOT NULL,
    summary TEXT NOT NULL,
    detail TEXT NOT NULL,
    diff TEXT
  );
  CREATE INDEX driven_runs_by_time ON driven_runs (created_at, id);
  CREATE INDEX driven_runs_by_driver ON driven_runs (driver) WHERE driver IS NOT NULL;

  CREATE TABLE driven_run_events (
    run TEXT COLLATE "C" NOT NULL REFERENCES driven_runs (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  );

  CREATE TABLE run_calls (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    machine TEXT COLLATE "C" NOT NULL,
    request TEXT NOT NULL,
    taken_by TEXT COLLATE "C",
    answer TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ NOT NULL
  );
  CREATE INDEX run_calls_open ON run_calls (machine, number) WHERE answer IS NULL;
`

/** The same as in the SQLite file (migrations.ts). */
const KEY_IDS = `
  ALTER TABLE sessions ADD COLUMN key_id TEXT COLLATE "C" NOT NULL DEFAULT '${UNDECIDED}';
  ALTER TABLE sessions ADD COLUMN api_key TEXT;
  ALTER TABLE sessions ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX sessions_by_key ON sessions (key_id, last_used, id);
  CREATE INDEX sessions_shared ON sessions (last_used, id) WHERE is_shared = 1;

  ALTER TABLE executions ADD COLUMN key_id TEXT COLLATE "C" NOT NULL DEFAULT '${UNDECIDED}';
  DROP INDEX executions_by_key;
  CREATE INDEX executions_by_key ON executions (key_id, number);
  CREATE INDEX executions_by_size ON executions (key_id, ended_at, bytes);

  ALTER TABLE idempotency_keys RENAME COLUMN api_key TO key_id;

  ALTER TABLE usage ADD COLUMN key_id TEXT COLLATE "C" NOT NULL DEFAULT '${UNDECIDED}';
  UPDATE usage SET key_id = '${NO_KEY}' WHERE api_key = '';
  ALTER TABLE usage DROP CONSTRAINT usage_pkey, ADD PRIMARY KEY (day, key_id, api_key, backend, model);

  ALTER TABLE driven_runs ADD COLUMN key_id TEXT COLLATE "C" NOT NULL DEFAULT '${UNDECIDED}';
`

/** The same as in the SQLite file. */
const COSTS = `
  ALTER TABLE executions ADD COLUMN cost_kind TEXT;
  UPDATE executions SET cost_kind = 'reported' WHERE cost_usd IS NOT NULL;
  ALTER TABLE usage ADD COLUMN priced_usd DOUBLE PRECISION;
  ALTER TABLE usage ADD COLUMN plan_executions BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE usage ADD COLUMN unknown_cost_executions BIGINT NOT NULL DEFAULT 0;
  UPDATE usage SET unknown_cost_executions = completed + failed + cancelled + lost WHERE cost_usd IS NULL;
`

/** The same as in the SQLite file. Times are those of the machines, as there. */
const OUTBOX = `
  CREATE TABLE outbox (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    due_at TEXT COLLATE "C" NOT NULL,
    UNIQUE (id, target)
  );
  CREATE INDEX outbox_waiting ON outbox (target, stream, number) WHERE state = 'waiting';
`

/** The same as in the SQLite file. */
const BUDGETS = `
  CREATE TABLE budgets (
    budget TEXT COLLATE "C" NOT NULL,
    period TEXT COLLATE "C" NOT NULL,
    used BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    PRIMARY KEY (budget, period)
  );
  CREATE TABLE budget_reservations (
    execution_id TEXT COLLATE "C" NOT NULL,
    budget TEXT COLLATE "C" NOT NULL,
    period TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (execution_id, budget)
  );
  CREATE INDEX budget_reservations_by_budget ON budget_reservations (budget, period);
  CREATE INDEX budget_reservations_by_owner ON budget_reservations (owner);
`

/** The same as in the SQLite file. */
const OUTBOX_ENDS = 'ALTER TABLE outbox ADD COLUMN ends_at TEXT COLLATE "C"'

/** The same as in the SQLite file. */
const PUSH_SUBSCRIPTIONS = `
  CREATE TABLE push_subscriptions (
    endpoint TEXT COLLATE "C" PRIMARY KEY,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    login TEXT COLLATE "C" NOT NULL,
    server_key TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL
  );
`

/** What runs without a request finds its rows by one of these, however many rows there are. `sweepers` are the processes that delete. */
const SWEEPS = `
  CREATE INDEX executions_waiting ON executions (key_id, number) WHERE owner = '' AND ended_at IS NULL;
  CREATE INDEX executions_homebound ON executions (machine) WHERE owner = '' AND ended_at IS NULL AND machine IS NOT NULL;
  CREATE INDEX executions_taken ON executions (key_id, backend) WHERE owner <> '' AND ended_at IS NULL;
  CREATE INDEX executions_open_turns ON executions (session_id, number) WHERE ended_at IS NULL AND session_id IS NOT NULL;
  CREATE INDEX executions_unkept ON executions (ended_at) WHERE keep = 'none';
  CREATE INDEX executions_unread ON executions (ended_at) WHERE keep = 'results' AND last_seq > 0;
  CREATE INDEX driven_runs_by_change ON driven_runs (updated_at) WHERE driver IS NULL;
  CREATE INDEX driven_runs_by_machine ON driven_runs (machine);
  CREATE INDEX outbox_settled ON outbox (created_at) WHERE state <> 'waiting';
  CREATE TABLE sweepers (
    task TEXT COLLATE "C" PRIMARY KEY,
    process TEXT COLLATE "C" NOT NULL
  );
`

/** `works_from`: programs that know at least this many migrations can use these tables. Empty: only those that know all. */
const MIXED_VERSIONS = 'ALTER TABLE schema_version ADD COLUMN works_from INTEGER'

/**
 * `label`: only workers with it may run the execution. `rank_at` is its place among those of its key: when it was stored, by the clock of
 * PostgreSQL, earlier or later by its priority. Of a machine, `claims` and `lost` count executions.
 */
const RANKS = `
  ALTER TABLE executions ADD COLUMN label TEXT COLLATE "C";
  ALTER TABLE executions ADD COLUMN rank_at TIMESTAMPTZ NOT NULL DEFAULT now();
  CREATE INDEX executions_ranked ON executions (key_id, rank_at, number) WHERE owner = '' AND ended_at IS NULL;
  ALTER TABLE machines ADD COLUMN is_draining BOOLEAN NOT NULL DEFAULT false;
  ALTER TABLE machines ADD COLUMN claims BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE machines ADD COLUMN lost BIGINT NOT NULL DEFAULT 0;
`

/** The same as in the SQLite file, but what no execution uses is removed by a sweep. */
const ATTACHMENTS = `
  ALTER TABLE executions ADD COLUMN attachments TEXT;
  CREATE TABLE attachments (digest TEXT COLLATE "C" PRIMARY KEY, data TEXT NOT NULL);
  CREATE TABLE attachment_uses (
    execution BIGINT NOT NULL REFERENCES executions (number) ON DELETE CASCADE,
    digest TEXT COLLATE "C" NOT NULL REFERENCES attachments (digest),
    PRIMARY KEY (execution, digest)
  );
  CREATE INDEX attachment_uses_by_digest ON attachment_uses (digest);
`

/** The same as in the SQLite file. */
const USER_MESSAGES = `
  CREATE TABLE execution_messages (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    execution_id TEXT COLLATE "C" NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
    message TEXT NOT NULL,
    answer TEXT
  );
  CREATE INDEX execution_messages_by_execution ON execution_messages (execution_id);
  CREATE TABLE session_messages (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    sender TEXT NOT NULL
  );
  CREATE INDEX session_messages_by_session ON session_messages (session_id);
`

/** Of a run that another machine has taken, `is_moved`. `driven_run_copies` has what is needed for that, as JSON. */
const RUN_COPIES = `
  ALTER TABLE driven_runs ADD COLUMN is_moved BOOLEAN NOT NULL DEFAULT false;
  CREATE TABLE driven_run_copies (
    run TEXT COLLATE "C" PRIMARY KEY REFERENCES driven_runs (id) ON DELETE CASCADE,
    content TEXT NOT NULL
  );
`

export const POSTGRES_MIGRATIONS: readonly string[] = [
  ...[FIRST, DRIVEN_RUNS, KEY_IDS, COSTS, OUTBOX, BUDGETS],
  OUTBOX_ENDS,
  PUSH_SUBSCRIPTIONS,
  SWEEPS,
  MIXED_VERSIONS,
  RANKS,
  ATTACHMENTS,
  USER_MESSAGES,
  RUN_COPIES,
]

/**
 * The oldest programs that can use the tables of today: those that know this many migrations. A migration only adds (tables, columns
 * with defaults, indexes), so that the version before works beside the new one. What a version no longer uses is removed by a later one,
 * which raises this number.
 */
export const WORKS_FROM = 10
