/** Converts sessions to database rows and back. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import type { Usage } from '../agents/adapter/agent.ts'
import { parsePlainJson } from '../kit/json/plain-json.ts'
import { parseStrictJson } from '../kit/json/strict-json.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { NO_KEY } from '../store/key-ids.ts'
import type { Row } from '../store/sql.ts'
import type { Session } from './session.shape.ts'
import { firstCharacters } from './session-texts.ts'

/** The columns, with the types that the schema (migrations.ts) enforces. */
export type SessionRow = {
  /** The key by which other tables refer to the session; internal to the database. */
  number: number
  id: string
  backend: Session['backend']
  status: Session['status']
  created_at: string
  last_used: string
  working_dir: string
  backend_session_id: string | null
  model: string | null
  /** The beginnings of texts whose rest `session-texts.ts` stores. */
  system_prompt_start: string | null
  initial_prompt_start: string
  turn_count: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  reasoning_tokens: number
  /** JSON of a `Usage`. */
  thread_usage: string | null
  /** JSON, as are the metadata and the policy. */
  tags: string
  title: string | null
  parent_id: string | null
  is_demo: 0 | 1
  error_message: string | null
  metadata: string
  policy: string
  /** The process that runs its turn; null unless it is active. */
  owner: string | null
  /** The API key that it belongs to (key-ids.ts), and the name of the key. */
  key_id: string
  api_key: string | null
  is_shared: 0 | 1
}

/** What a row stores besides the session itself. */
export type StoreFields = { owner: string | null; threadUsage: Usage | undefined; keyId?: string | undefined }

/** STRICT tables and NOT NULL columns guarantee these types. */
export function asSessionRow(row: Row): SessionRow {
  return row as SessionRow
}

/** The session with only the beginnings of its prompts. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    backend: row.backend,
    status: row.status,
    created_at: row.created_at,
    last_used: row.last_used,
    working_dir: row.working_dir,
    ...withoutNulls({
      backend_session_id: row.backend_session_id,
      model: row.model,
      system_prompt: row.system_prompt_start,
      title: row.title,
      parent_id: row.parent_id,
      api_key: row.api_key,
      error_message: row.error_message,
    }),
    ...(row.is_demo === 1 && { is_demo: true as const }),
    ...(row.is_shared === 1 && { shared: true as const }),
    initial_prompt: row.initial_prompt_start,
    turn_count: row.turn_count,
    token_usage: {
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      cached_tokens: row.cached_tokens,
      reasoning_tokens: row.reasoning_tokens,
    },
    tags: JSON.parse(row.tags),
    metadata: readMetadata(row.metadata),
    policy: JSON.parse(row.policy),
  }
}

/** Unlike `JSON.parse`, this preserves integers beyond 2^53. */
function readMetadata(text: string): Session['metadata'] {
  const value = parsePlainJson(text) ?? parseStrictJson(text, { input: 'metadata', numbers: 'any' })
  return value as Session['metadata']
}

export function readStoreFields({ owner, thread_usage, key_id: keyId }: SessionRow): StoreFields {
  return { owner, threadUsage: thread_usage === null ? undefined : JSON.parse(thread_usage), keyId }
}

/** The columns of a session, except its number. */
export function toColumns(session: Session, { owner, threadUsage, keyId }: StoreFields): Record<string, SQLInputValue> {
  const { token_usage, tags, metadata, policy, initial_prompt, system_prompt, is_demo, shared, ...plain } = session
  // Sessions store no total of this count.
  const { cache_write_tokens: _, ...counts } = token_usage
  return {
    backend_session_id: null,
    model: null,
    initial_prompt_start: firstCharacters(initial_prompt),
    system_prompt_start: system_prompt === undefined ? null : firstCharacters(system_prompt),
    title: null,
    parent_id: null,
    is_demo: is_demo === true ? 1 : 0,
    key_id: keyId ?? NO_KEY,
    api_key: null,
    is_shared: shared === true ? 1 : 0,
    error_message: null,
    ...plain,
    ...counts,
    tags: JSON.stringify(tags),
    metadata: writeJson(metadata),
    policy: JSON.stringify(policy),
    thread_usage: threadUsage === undefined ? null : JSON.stringify(threadUsage),
    owner,
  }
}

function withoutNulls<K extends string>(fields: Record<K, string | null>): Partial<Record<K, string>> {
  const present: Partial<Record<K, string>> = {}
  for (const name in fields) if (fields[name] !== null) present[name] = fields[name]
  return present
}

/** A prompt may have megabytes; its start is enough to find the session by. */
const SEARCHED_PROMPT_LENGTH = 4_000

/** The text in which a search looks. */
export function toSearchText({ title, initial_prompt }: Pick<Session, 'title' | 'initial_prompt'>): string {
  return `${toSearchTitle(title)}${foldText(initial_prompt.slice(0, SEARCHED_PROMPT_LENGTH))}`
}

/** The first line of that text. A title is one line. */
export function toSearchTitle(title: string | undefined): string {
  return `${foldText(title ?? '')}\n`
}

/** Makes a search ignore case and the two Unicode forms of an accented letter. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
