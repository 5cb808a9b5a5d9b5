/** How an execution is called, which page shows it, and how long it took. Pure. */
import type { Execution } from '../../executions/store/execution.shape.ts'
import { toLine } from './visible-text.ts'

type Titled = Pick<Execution, 'id' | 'backend' | 'kind' | 'prompt_start'>

/** The agent, or what it is without one. A dry run without an agent is that of a comparison. */
export function nameExecution({ backend, kind }: Pick<Execution, 'backend' | 'kind'>): string {
  return toLine(backend ?? (kind === 'dry_run' ? 'compare' : kind))
}

/** A batch has no prompt, but its parts have. */
export function titleExecution({ id, prompt_start: start, kind }: Titled, parts: readonly Titled[]): string {
  if (start !== undefined) return toLine(start)
  const prompts = parts.flatMap((part) => (part.prompt_start === undefined ? [] : [toLine(part.prompt_start)]))
  if (prompts.length > 0) return prompts.join(' · ')
  return kind === 'parallel' ? 'several tasks' : kind === 'chain' ? 'several steps' : id
}

/** Its parts, in the order in which they began. */
export function partsOf(id: string, executions: Iterable<Execution>): Execution[] {
  return [...executions]
    .filter(({ parent_id: parent }) => parent === id)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
}

/** The page of a comparison has more than that of its execution. */
export function pageOf(kind: Execution['kind']): 'compare' | 'executions' {
  return kind === 'compare' ? 'compare' : 'executions'
}

type Timed = Pick<Execution, 'started_at' | 'ended_at' | 'result'>

/** The time of its result, as in every table, which has not what came before and after the agent. Undefined before its start. */
export function elapsedOf({ started_at: start, ended_at: end, result }: Timed, now: number): number | undefined {
  const measured = result?.['duration_ms']
  if (typeof measured === 'number') return measured
  if (start === undefined) return undefined
  return Math.max(0, (end === undefined ? now : Date.parse(end)) - Date.parse(start))
}
