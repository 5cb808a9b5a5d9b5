/** How an execution is called, and which page shows it. Pure. */
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
