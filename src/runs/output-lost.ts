import type { Fault } from '../kit/fault.ts'
import { mutationCommittedOutputFailed } from './faults.ts'

/** For an answer that could not be made, or not be written. */
export function outputLost(problem: string, cause?: unknown): Fault {
  const kept = { committed: true, projection_stale: false, namespace_detached: false, ambiguous: false }
  return mutationCommittedOutputFailed({ problem, details: { phase: 'response_output', ...kept } }, cause)
}
