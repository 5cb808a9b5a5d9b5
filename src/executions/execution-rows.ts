/** Converts executions to database rows and back. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import { startOf } from '../sessions/session-texts.ts'
import type { Row } from '../store/database.ts'
import type { Execution, ExecutionEvent } from './execution.shape.ts'

/** Set when the execution is created, and never changed. */
const FIXED = ['id', 'kind', 'parent_id', 'workdir', 'owner', 'api_key', 'created_at'] as const
/** Change while it runs. */
const CHANGING = ['state', 'session_id', 'backend', 'model', 'started_at', 'ended_at', 'cost_usd', 'last_seq'] as const

/** The columns that a page needs: all but prompt and result. */
export const LISTED = [...FIXED, ...CHANGING, 'usage', 'error', 'is_demo', 'prompt_start'].join(', ')

export function toChangingColumns(execution: Execution): Record<string, SQLInputValue> {
  const { usage, result, error } = execution
  return {
    ...pick(execution, CHANGING),
    usage: usage === undefined ? null : JSON.stringify(usage),
    result: result === undefined ? null : JSON.stringify(result),
    error: error === undefined ? null : JSON.stringify(error),
    is_demo: execution.is_demo === true ? 1 : 0,
  }
}

export function toColumns(execution: Execution): Record<string, SQLInputValue> {
  const { prompt } = execution
  return {
    ...pick(execution, FIXED),
    ...toChangingColumns(execution),
    prompt_start: prompt === undefined ? null : startOf(prompt),
    prompt: prompt ?? null,
  }
}

function pick(execution: Execution, names: readonly (keyof Execution)[]): Record<string, SQLInputValue> {
  return Object.fromEntries(names.map((name) => [name, (execution[name] ?? null) as SQLInputValue]))
}

/** STRICT tables and NOT NULL columns guarantee the types. */
export function toExecution(row: Row): Execution {
  const fields = [...FIXED, ...CHANGING].filter((name) => row[name] !== null).map((name) => [name, row[name]])
  return {
    ...Object.fromEntries(fields),
    ...(typeof row['usage'] === 'string' && { usage: JSON.parse(row['usage']) }),
    ...(typeof row['error'] === 'string' && { error: JSON.parse(row['error']) }),
    ...(row['is_demo'] === 1 && { is_demo: true }),
    // A page has no whole prompts.
    ...(row['prompt'] === undefined &&
      typeof row['prompt_start'] === 'string' && { prompt_start: row['prompt_start'] }),
    ...(typeof row['prompt'] === 'string' && { prompt: row['prompt'] }),
    ...(typeof row['result'] === 'string' && { result: JSON.parse(row['result']) }),
  } as Execution
}

export function toExecutionEvent(row: Row): ExecutionEvent {
  const content = JSON.parse(String(row['content']))
  return { seq: Number(row['seq']), at: String(row['at']), type: String(row['type']), content }
}
