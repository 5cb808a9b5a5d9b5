/** The JSON reports of `parallel`, `chain` and `compare`. Pure. */
import type { JsonObject } from '../../kit/json/json-value.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { TaskInFile } from './task-file.shape.ts'

/** When an item started and ended; empty if it never started. */
export type Span = { start_time?: string; end_time?: string }

type Timed = PromptResult & Span & { duration_seconds: number }

type Totals = { total_duration_seconds: number; start_time: string; end_time: string }

type TaskEntry = {
  /** From 0, as in the file. */
  index: number
  task_id?: string
  task_name?: string
  tags?: readonly string[]
  meta?: JsonObject
} & Timed

export function withTimes<Result extends PromptResult>(result: Result, span: Span): Result & Timed {
  return { ...result, duration_seconds: result.duration_ms / 1000, ...span }
}

/** The result of one task together with the user's own fields of the task. */
export function toTaskEntry(
  index: number,
  { id, name, tags, meta }: TaskInFile,
  { result, span }: { result: PromptResult; span: Span },
): TaskEntry {
  return {
    index,
    ...(id !== undefined && { task_id: id }),
    ...(name !== undefined && { task_name: name }),
    ...(tags !== undefined && { tags }),
    ...(meta !== undefined && { meta }),
    ...withTimes(result, span),
  }
}

/** Replaces the duration in milliseconds by seconds and timestamps. */
export function withTotals<Result extends { total_duration_ms: number; results: unknown }, Entry>(
  result: Result,
  span: Required<Span>,
  results: readonly Entry[],
): Omit<Result, 'total_duration_ms' | 'results'> & Totals & { results: readonly Entry[] } {
  const { total_duration_ms: durationMs, results: _, ...rest } = result
  return { ...rest, total_duration_seconds: durationMs / 1000, ...span, results }
}
