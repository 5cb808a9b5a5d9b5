/**
 * The migrations of the store. `user_version` is the number of migrations that a file has been through.
 *
 * - `sessions` is the source of truth, one row per session. `session_texts` belongs to it; all other tables
 *   are derived from it.
 * - `session_tags` is an index of sessions by tag and last use.
 * - `session_counts` has the number of sessions of each kind, so that a page needs no counting. A session is counted
 *   under each of its tags and under no tag (''), both in its directory and in all directories ('').
 * - `session_texts` has the pieces of long prompts (session-texts.ts).
 * - `session_search` finds parts of titles and prompts. Code writes its rows, because SQLite cannot fold the case of all
 *   scripts; triggers maintain the other tables.
 */
import { NO_KEY, UNDECIDED } from './key-ids.ts'

const COUNTED = ['model', 'backend', 'status', 'is_resumable'] as const

/** Adds or subtracts the row OLD or NEW of a trigger. */
function count(row: 'OLD' | 'NEW', by: 1 | -1): string {
  return `
    INSERT INTO session_counts (working_dir, tag, ${COUNTED.join(', ')}, count)
    SELECT place.value, tag.value, ifnull(${row}.model, ''), ${row}.backend, ${row}.status,
           ${row}.backend_session_id IS NOT NULL, ${by}
      FROM (SELECT '' AS value UNION ALL SELECT ${row}.working_dir) AS place,
           (SELECT '' AS value UNION ALL SELECT value FROM json_each(${row}.tags)) AS tag
     WHERE true
        ON CONFLICT DO UPDATE SET count = count + excluded.count;`
}

const listTags = `
    INSERT INTO session_tags (tag, last_used, id, number)
    SELECT value, NEW.last_used, NEW.id, NEW.number FROM json_each(NEW.tags);`

const unlistTags = `
    DELETE FROM session_tags
     WHERE last_used = OLD.last_used AND id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));`

const FIRST = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    backend TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used TEXT NOT NULL,
    working_dir TEXT NOT NULL CHECK (working_dir <> ''),
    backend_session_id TEXT,
    model TEXT,
    turn_count INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    thread_usage TEXT,
    tags TEXT NOT NULL,
    title TEXT,
    parent_id TEXT,
    owner TEXT,
    error_message TEXT,
    metadata TEXT NOT NULL,
    policy TEXT NOT NULL,
    system_prompt TEXT,
    initial_prompt TEXT NOT NULL,
    CHECK ((status = 'active') = (owner IS NOT NULL))
  ) STRICT;
  CREATE INDEX sessions_by_use ON sessions (last_used, id);
  CREATE INDEX sessions_by_backend ON sessions (backend, last_used, id);
  CREATE INDEX sessions_by_status ON sessions (status, last_used, id);
  CREATE INDEX sessions_by_model ON sessions (model, last_used, id);
  CREATE INDEX sessions_by_workdir ON sessions (working_dir, last_used, id);
  CREATE INDEX sessions_by_owner ON sessions (owner) WHERE owner IS NOT NULL;

  CREATE TABLE session_tags (
    tag TEXT NOT NULL,
    last_used TEXT NOT NULL,
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (tag, last_used, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE session_counts (
    working_dir TEXT NOT NULL,
    tag TEXT NOT NULL,
    model TEXT NOT NULL,
    backend TEXT NOT NULL,
    status TEXT NOT NULL,
    is_resumable INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (working_dir, tag, ${COUNTED.join(', ')})
  ) STRICT, WITHOUT ROWID;

  CREATE VIRTUAL TABLE session_search USING fts5(text, tokenize = 'trigram case_sensitive 1');

  CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN${listTags}${count('NEW', 1)}
  END;
  CREATE TRIGGER session_deleted AFTER DELETE ON sessions BEGIN${unlistTags}${count('OLD', -1)}
    DELETE FROM session_search WHERE rowid = OLD.number;
  END;
  CREATE TRIGGER session_listed AFTER UPDATE OF last_used, tags ON sessions
  WHEN OLD.last_used <> NEW.last_used OR OLD.tags <> NEW.tags BEGIN${unlistTags}${listTags}
  END;
  CREATE TRIGGER session_counted AFTER UPDATE OF status, model, backend_session_id, tags ON sessions
  WHEN OLD.status <> NEW.status OR OLD.model IS NOT NEW.model OR OLD.tags <> NEW.tags
    OR (OLD.backend_session_id IS NULL) <> (NEW.backend_session_id IS NULL)
  BEGIN${count('OLD', -1)}${count('NEW', 1)}
  END;
  CREATE TRIGGER count_is_zero AFTER UPDATE ON session_counts WHEN NEW.count = 0 BEGIN
    DELETE FROM session_counts
     WHERE working_dir = NEW.working_dir AND tag = NEW.tag AND ${COUNTED.map((name) => `${name} = NEW.${name}`).join(' AND ')};
  END;
`

/**
 * Moves long prompts out of `sessions`: there, reading a page and finishing a turn would read and write megabytes. Two
 * columns keep the beginnings, and `session_texts` has the whole texts in pieces. `unwanted_texts` lists the deleted
 * sessions whose pieces are still to be deleted.
 */
const SECOND = `
  CREATE TABLE session_texts (
    session TEXT NOT NULL,
    name TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, name, part)
  ) STRICT;
  CREATE TABLE unwanted_texts (session TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
${['initial_prompt', 'system_prompt']
  .map(
    (name) => `
  INSERT INTO session_texts (session, name, part, text)
    SELECT id, '${name}', 0, ${name} FROM sessions WHERE length(${name}) > 200;
  UPDATE sessions SET ${name} = substr(${name}, 1, 200) WHERE length(${name}) > 200;
  ALTER TABLE sessions RENAME COLUMN ${name} TO ${name}_start;`,
  )
  .join('')}
`

/**
 * - `executions` has one row per prompt, batch or part of a batch. A prefix of its events is in `execution_events`.
 * - `idempotency_keys` maps the key of a repeatable request to its execution.
 * - `usage` has sums of what executions used. The end of an execution is added to it if `is_usage_due` is 1, which then
 *   becomes 0, so that it is added once. Its rows stay when executions are removed.
 */
const EXECUTIONS = `
  CREATE TABLE executions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent_id TEXT,
    session_id TEXT,
    backend TEXT,
    model TEXT,
    workdir TEXT,
    owner TEXT NOT NULL,
    api_key TEXT,
    keep TEXT NOT NULL,
    is_demo INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    usage TEXT,
    error TEXT,
    cost_usd REAL,
    last_seq INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    is_cancel_requested INTEGER NOT NULL DEFAULT 0,
    is_usage_due INTEGER NOT NULL,
    prompt_start TEXT,
    prompt TEXT,
    result TEXT
  ) STRICT;
  CREATE INDEX executions_by_state ON executions (state);
  CREATE INDEX executions_by_backend ON executions (backend) WHERE backend IS NOT NULL;
  CREATE INDEX executions_by_session ON executions (session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX executions_by_parent ON executions (parent_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX executions_by_key ON executions (api_key) WHERE api_key IS NOT NULL;
  CREATE INDEX executions_running ON executions (owner) WHERE ended_at IS NULL;
  CREATE INDEX executions_by_end ON executions (ended_at, bytes);

  CREATE TABLE execution_events (
    execution INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (execution, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE idempotency_keys (
    api_key TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (api_key, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

  CREATE TABLE usage (
    day TEXT NOT NULL,
    api_key TEXT NOT NULL,
    backend TEXT NOT NULL,
    model TEXT NOT NULL,
    completed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    cost_usd REAL,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (day, api_key, backend, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TRIGGER execution_removed AFTER DELETE ON executions BEGIN
    DELETE FROM execution_events WHERE execution = OLD.number;
  END;
`

/**
 * Marks the sessions of the demo agent. Deletes the executions of a deleted session, because they have its prompts and
 * answers.
 */
const CONVERSATIONS = `
  ALTER TABLE sessions ADD COLUMN is_demo INTEGER NOT NULL DEFAULT 0;
  CREATE TRIGGER conversation_deleted AFTER DELETE ON sessions BEGIN
    DELETE FROM executions WHERE session_id = OLD.id AND ended_at IS NOT NULL;
  END;
`

/** What a request to the Responses API said besides the prompt. */
const CLIENT_REQUESTS = 'ALTER TABLE executions ADD COLUMN client_request TEXT;'

const USAGE_SUMS = [
  ...['completed', 'failed', 'cancelled', 'lost', 'input_tokens', 'output_tokens', 'cached_tokens'],
  ...['reasoning_tokens', 'cache_write_tokens', 'duration_ms'],
]

/**
 * Everything belongs to the API key with the id in `key_id` (key-ids.ts); the name in `api_key` is for people. Rows that are
 * there already are undecided. A shared session is visible to every key.
 */
const KEY_IDS = `
  ALTER TABLE sessions ADD COLUMN key_id TEXT NOT NULL DEFAULT '${UNDECIDED}';
  ALTER TABLE sessions ADD COLUMN api_key TEXT;
  ALTER TABLE sessions ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX sessions_by_key ON sessions (key_id, last_used, id);
  CREATE INDEX sessions_shared ON sessions (last_used, id) WHERE is_shared = 1;

  ALTER TABLE executions ADD COLUMN key_id TEXT NOT NULL DEFAULT '${UNDECIDED}';
  DROP INDEX executions_by_key;
  CREATE INDEX executions_by_key ON executions (key_id);
  CREATE INDEX executions_by_size ON executions (key_id, ended_at, bytes);

  ALTER TABLE idempotency_keys RENAME COLUMN api_key TO key_id;

  ALTER TABLE usage RENAME TO usage_by_name;
  CREATE TABLE usage (
    day TEXT NOT NULL,
    key_id TEXT NOT NULL,
    api_key TEXT NOT NULL,
    backend TEXT NOT NULL,
    model TEXT NOT NULL,
    ${USAGE_SUMS.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
    cost_usd REAL,
    PRIMARY KEY (day, key_id, api_key, backend, model)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage (day, key_id, api_key, backend, model, cost_usd, ${USAGE_SUMS.join(', ')})
    SELECT day, CASE api_key WHEN '' THEN '${NO_KEY}' ELSE '${UNDECIDED}' END, api_key, backend, model, cost_usd,
      ${USAGE_SUMS.join(', ')} FROM usage_by_name;
  DROP TABLE usage_by_name;
`

/**
 * How the cost of an execution is known, and what the cost in `usage` consists of: `priced_usd` is the part of `cost_usd` that no
 * agent reported.
 */
const COSTS = `
  ALTER TABLE executions ADD COLUMN cost_kind TEXT;
  UPDATE executions SET cost_kind = 'reported' WHERE cost_usd IS NOT NULL;
  ALTER TABLE usage ADD COLUMN priced_usd REAL;
  ALTER TABLE usage ADD COLUMN plan_executions INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage ADD COLUMN unknown_cost_executions INTEGER NOT NULL DEFAULT 0;
  UPDATE usage SET unknown_cost_executions = completed + failed + cancelled + lost WHERE cost_usd IS NULL;
`

/** Notifications that wait, were delivered, or were given up (outbox.ts). */
const OUTBOX = `
  CREATE TABLE outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    target TEXT NOT NULL,
    stream TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    due_at TEXT NOT NULL,
    UNIQUE (id, target)
  ) STRICT;
  CREATE INDEX outbox_waiting ON outbox (target, stream, number) WHERE state = 'waiting';
`

/** What was used of each budget in each period, and what executions that run have reserved. `lost` is not known to have been used. */
const BUDGETS = `
  CREATE TABLE budgets (
    budget TEXT NOT NULL,
    period TEXT NOT NULL,
    used INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    PRIMARY KEY (budget, period)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE budget_reservations (
    execution_id TEXT NOT NULL,
    budget TEXT NOT NULL,
    period TEXT NOT NULL,
    owner TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (execution_id, budget)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX budget_reservations_by_budget ON budget_reservations (budget, period);
  CREATE INDEX budget_reservations_by_owner ON budget_reservations (owner);
`

/** What an event is about may last longer than events are kept: a budget of a month is announced once in it. */
const OUTBOX_ENDS = 'ALTER TABLE outbox ADD COLUMN ends_at TEXT'

/** The browsers that are notified (push-subscriptions.ts). */
const PUSH_SUBSCRIPTIONS = `
  CREATE TABLE push_subscriptions (
    endpoint TEXT PRIMARY KEY,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    owner TEXT NOT NULL,
    login TEXT NOT NULL,
    server_key TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** The worker that an execution needs, as in PostgreSQL. */
const LABELS = 'ALTER TABLE executions ADD COLUMN label TEXT'

/** The images and documents of prompts, each stored once, as base64. `executions.attachments` describes those of an execution. */
const ATTACHMENTS = `
  ALTER TABLE executions ADD COLUMN attachments TEXT;
  CREATE TABLE attachments (digest TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
  CREATE TABLE attachment_uses (
    execution INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (execution, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attachment_uses_by_digest ON attachment_uses (digest);
  CREATE TRIGGER attachments_unused AFTER DELETE ON executions WHEN OLD.attachments IS NOT NULL BEGIN
    DELETE FROM attachment_uses WHERE execution = OLD.number;
  END;
  CREATE TRIGGER attachment_unused AFTER DELETE ON attachment_uses
  WHEN NOT EXISTS (SELECT 1 FROM attachment_uses WHERE digest = OLD.digest) BEGIN
    DELETE FROM attachments WHERE digest = OLD.digest;
  END;
`

/** What agents are told while they work: messages to agents of other processes, and those that wait for the next turn of a session. */
const USER_MESSAGES = `
  CREATE TABLE execution_messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    execution_id TEXT NOT NULL,
    message TEXT NOT NULL,
    answer TEXT
  ) STRICT;
  CREATE INDEX execution_messages_by_execution ON execution_messages (execution_id);
  CREATE TRIGGER execution_messages_unused AFTER DELETE ON executions BEGIN
    DELETE FROM execution_messages WHERE execution_id = OLD.id;
  END;
  CREATE TABLE session_messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    text TEXT NOT NULL,
    sender TEXT NOT NULL
  ) STRICT;
  CREATE INDEX session_messages_by_session ON session_messages (session_id);
  CREATE TRIGGER session_messages_unused AFTER DELETE ON sessions BEGIN
    DELETE FROM session_messages WHERE session_id = OLD.id;
  END;
`

export const MIGRATIONS: readonly string[] = [
  ...[FIRST, SECOND, EXECUTIONS, CONVERSATIONS, CLIENT_REQUESTS, KEY_IDS],
  COSTS,
  OUTBOX,
  BUDGETS,
  OUTBOX_ENDS,
  PUSH_SUBSCRIPTIONS,
  LABELS,
  ATTACHMENTS,
  USER_MESSAGES,
]
