/** Keeps the agents of a driven run, and what they start, from changing that run. */
import { findRunsAround } from '../kit/process/nesting.ts'
import { runOfOwnAgent } from './faults.ts'
import type { RunContext } from './run-context.ts'

/** Throws `run_of_own_agent` if this process works for the run. */
export function refuseOwnRun({ git }: Pick<RunContext, 'git'>, runId: string): void {
  if (findRunsAround(git.env).has(runId)) throw runOfOwnAgent({ run_id: runId })
}
