/** Stores as an older drover has left them, when keys had only names. */
import { rmSync } from 'node:fs'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'
import { migratePostgres } from '../../src/store/postgres-database.ts'
import { POSTGRES_MIGRATIONS } from '../../src/store/postgres-migrations.ts'
import { createEmptyDatabase, runSql } from './postgres.ts'

const OLD_SQLITE = MIGRATIONS.slice(0, 5)
const OLD_POSTGRES = POSTGRES_MIGRATIONS.slice(0, 2)

const EXECUTION = `INSERT INTO executions
    (id, state, kind, owner, api_key, keep, is_demo, created_at, ended_at, last_seq, bytes, is_usage_due) VALUES`
const USAGE = `INSERT INTO usage (day, api_key, backend, model, completed, failed, cancelled, lost, input_tokens, output_tokens,
    cached_tokens, reasoning_tokens, cache_write_tokens, duration_ms) VALUES`
const SESSION = `INSERT INTO sessions (id, backend, status, created_at, last_used, working_dir, turn_count, input_tokens,
    output_tokens, cached_tokens, reasoning_tokens, tags, metadata, policy, is_demo, initial_prompt_start`

export const oldExecutionId = (at: number) => `exec_${String(at).padStart(24, '0')}`
const TODAY = '2026-01-31'
export const OLD_TIME = `${TODAY}T12:00:00.000Z`

/** What an older drover has stored: of two keys, and of the user. */
function oldRows(isPostgres: boolean): string[] {
  const [more, texts] = isPostgres
    ? [', initial_prompt, search_text, machine', ", 'the plan', 'the plan', 'here'"]
    : ['', '']
  const names = ["'ada'", "'ada'", "'gone'", 'NULL']
  return [
    ...names.map(
      (name, at) =>
        `${EXECUTION} ('${oldExecutionId(at)}', 'completed', 'prompt', 'p', ${name}, 'events', 0, '${OLD_TIME}', '${OLD_TIME}', 0, 1, 0)`,
    ),
    ...['ada', 'gone', ''].map(
      (name) => `${USAGE} ('${TODAY}', '${name}', 'claude', 'opus', 1, 0, 0, 0, 1, 1, 1, 1, 1, 1)`,
    ),
    ...['ada', 'gone'].map(
      (name) => `INSERT INTO idempotency_keys VALUES ('${name}', 'k', 'd', '${oldExecutionId(0)}', '${OLD_TIME}')`,
    ),
    `${SESSION}${more}) VALUES ('${'a'.repeat(32)}', 'claude', 'completed', '${OLD_TIME}', '${OLD_TIME}', '/w', 1, 0, 0, 0, 0, '["api"]',
      '{}', '{"approval_mode":"default","sandbox_mode":"default","extra":[]}', 0, 'the plan'${texts})`,
  ]
}

/** A file with executions of the keys `ada` (0 and 1) and `gone` (2) and of the user (3), and with one session. */
export async function createOldFile(path: string): Promise<void> {
  // Tests begin with an empty store of today.
  rmSync(path, { force: true })
  const database = await openDatabase({ path, migrations: OLD_SQLITE })
  for (const sql of oldRows(false)) database.exec(sql)
  database.close()
}

/** The same in PostgreSQL. Returns its address. */
export async function createOldDatabase(): Promise<string> {
  const url = await createEmptyDatabase()
  await migratePostgres({ url }, { migrations: OLD_POSTGRES })
  for (const sql of oldRows(true)) await runSql(url, sql)
  await migratePostgres({ url })
  return url
}
