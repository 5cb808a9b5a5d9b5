/** Which driven runs a list has. Pure. */
import type { DrivenRun } from './driven-run.shape.ts'

/** `before` is a run; `search` is a part of the goal, or the beginning of an id; `key` the name of an API key. */
export type RunListQuery = RunFilter & { readonly before?: string; readonly limit: number }

export type RunFilter = { readonly states?: readonly string[] } & {
  readonly [F in 'repository' | 'backend' | 'label' | 'key' | 'search']?: string
}

/** As `wanted` in published-runs.ts does. */
export function isWanted(run: DrivenRun, { states, repository, backend, label, key, search }: RunFilter): boolean {
  const isEqual = (asked: string | undefined, found: string | undefined) => asked === undefined || asked === found
  const needle = search?.toLowerCase() ?? ''
  return (
    states?.includes(run.state) !== false &&
    isEqual(repository, run.repository) &&
    isEqual(backend, run.backend) &&
    isEqual(label, run.label) &&
    isEqual(key, run.api_key) &&
    (run.goal.toLowerCase().includes(needle) || run.id.startsWith(needle))
  )
}
