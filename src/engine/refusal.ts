import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { nextHint, resumeHint } from './next-hint.ts'
import type { Run } from './state/run.ts'

/** The parts of a `cliError` that every refusal carries: what can be done next, and the details. */
export type Refusal = { readonly next: Next; readonly details?: NonNullable<CliError['details']> }

/** For a refusal before the run is known: then the caller supplies `next`. */
export type EarlyRefusal = Partial<Refusal>

/** A refusal that offers what the run waits for. */
export function refuse(run: Run): Refusal {
  return { next: nextHint(run), details: refusedState(run) }
}

/** A refusal that offers to resume the run, if it can be resumed. */
export function refuseResume(run: Run): Refusal {
  return { next: resumeHint(run), details: refusedState(run) }
}

export function refusedState({ id, state }: Run): { run_id: string; state: Run['state'] } {
  return { run_id: id, state }
}
