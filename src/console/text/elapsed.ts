import type { Execution } from '../../executions/store/execution.shape.ts'

type Timed = Pick<Execution, 'started_at' | 'ended_at' | 'result'>

/** The time of its result, as in every table, which has not what came before and after the agent. Undefined before its start. */
export function elapsedOf({ started_at: start, ended_at: end, result }: Timed, now: number): number | undefined {
  const measured = result?.['duration_ms']
  if (typeof measured === 'number') return measured
  if (start === undefined) return undefined
  return Math.max(0, (end === undefined ? now : Date.parse(end)) - Date.parse(start))
}
