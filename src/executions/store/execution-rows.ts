/** Converts executions to database rows and back. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import { firstCharacters } from '../../sessions/session-texts.ts'
import { NO_KEY, readKeyId } from '../../store/key-ids.ts'
import type { Row } from '../../store/sql.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from './execution.shape.ts'
import type { KeepMode } from './execution-states.ts'

/** What an event takes in addition to its text. */
const EVENT_BYTES = 40

/** Set when the execution is created, and never changed. */
const FIXED = ['id', 'kind', 'parent_id', 'owner', 'api_key', 'key_id', 'created_at', 'label'] as const
/** Change while it runs. */
const CHANGING = [
  'state',
  'session_id',
  'backend',
  'model',
  'workdir',
  'started_at',
  'ended_at',
  'cost_usd',
  'cost_kind',
  'last_seq',
] as const
/** Stored as JSON. */
const JSON_FIELDS = ['usage', 'error', 'result'] as const

/** The columns that a page needs: all but prompt, attachments, client request and result. */
export const LISTED = [...FIXED, ...CHANGING, 'usage', 'error', 'is_demo', 'prompt_start'].join(', ')

export const CHANGED = [...CHANGING, ...JSON_FIELDS, 'is_demo']
/** The columns that `toInsert` has values for. */
export const ADDED = [
  ...[...FIXED, ...CHANGED, 'prompt_start', 'prompt', 'attachments', 'client_request'],
  ...['keep', 'is_usage_due', 'bytes'],
]

// Written once: for SQL that is put together for every row, looking up the statement takes longer than running it.
export const INSERT = `INSERT INTO executions (${ADDED.join(', ')}) VALUES (${ADDED.map(() => '?').join(', ')})`
export const UPDATE = `UPDATE executions SET ${CHANGED.map((name) => `${name} = ?`).join(', ')}, bytes = bytes + ?
  WHERE id = ?`

type NewRow = {
  keep: KeepMode
  /** Its end is still to be added to the usage. */
  isUsageDue: boolean
  /** The size of the events that are added with it. */
  eventBytes: number
}

export function toInsert(execution: Execution, { keep, isUsageDue, eventBytes }: NewRow): SQLInputValue[] {
  const { prompt = null, client_request: asked, attachments } = execution
  const changed = changedValues(execution)
  const start = prompt === null ? null : firstCharacters(prompt)
  const request = asked === undefined ? null : JSON.stringify(asked)
  const attached = attachments === undefined ? null : JSON.stringify(attachments)
  const texts = (prompt?.length ?? 0) + (request?.length ?? 0) + resultBytes(changed) + eventBytes
  // Even if another execution has the same file.
  const bytes = ROW_BYTES + texts + (attachments ?? []).reduce((sum, { size }) => sum + size, 0)
  const told = [start, prompt, attached, request, keep, isUsageDue ? 1 : 0, bytes]
  return [...columnValues(execution, FIXED), ...changed, ...told]
}

export function toUpdate(execution: Execution, eventBytes: number): SQLInputValue[] {
  const changed = changedValues(execution)
  return [...changed, resultBytes(changed) + eventBytes, execution.id]
}

/** What a row takes in addition to its texts. */
const ROW_BYTES = 300
const RESULT_AT = CHANGED.indexOf('result')

function resultBytes(changed: readonly SQLInputValue[]): number {
  const result = changed[RESULT_AT]
  return typeof result === 'string' ? result.length : 0
}

function changedValues(execution: Execution): SQLInputValue[] {
  const texts = JSON_FIELDS.map((name) => (execution[name] === undefined ? null : JSON.stringify(execution[name])))
  return [...columnValues(execution, CHANGING), ...texts, execution.is_demo === true ? 1 : 0]
}

function columnValues(execution: Execution, names: readonly (keyof Execution)[]): SQLInputValue[] {
  return names.map((name) => (execution[name] ?? (name === 'key_id' ? NO_KEY : null)) as SQLInputValue)
}

/** STRICT tables and NOT NULL columns guarantee the types. */
export function toExecution(row: Row): Execution {
  const known: Row = { ...row, key_id: readKeyId(row['key_id']) ?? null }
  const fields = [...FIXED, ...CHANGING].filter((name) => known[name] !== null).map((name) => [name, known[name]])
  const parsed = [...JSON_FIELDS, 'client_request', 'attachments'].flatMap((name) => {
    const value = row[name]
    return typeof value === 'string' ? [[name, JSON.parse(value)]] : []
  })
  return {
    ...Object.fromEntries([...fields, ...parsed]),
    ...(row['is_demo'] === 1 && { is_demo: true }),
    // A page has no whole prompts.
    ...(row['prompt'] === undefined &&
      typeof row['prompt_start'] === 'string' && { prompt_start: row['prompt_start'] }),
    ...(typeof row['prompt'] === 'string' && { prompt: row['prompt'] }),
  } as Execution
}

export function toExecutionEvent(row: Row): ExecutionEvent {
  const content = JSON.parse(String(row['content']))
  return { seq: Number(row['seq']), at: String(row['at']), type: String(row['type']), content }
}

/** The first `limit` rows; one more row shows that another page follows. */
export function toPage(rows: readonly Row[], limit: number): ExecutionPage {
  const executions = rows.slice(0, limit).map(toExecution)
  const last = executions.at(-1)
  return { executions, ...(rows.length > limit && last !== undefined && { next: last.id }) }
}

/** The stored contents of events, and about how much space they take. */
export function writeContents(events: readonly ExecutionEvent[]): { contents: string[]; bytes: number } {
  const contents = events.map(({ content }) => JSON.stringify(content))
  return { contents, bytes: contents.reduce((sum, content) => sum + content.length + EVENT_BYTES, 0) }
}
