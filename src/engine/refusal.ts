import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import { nextHint, resumeHint } from './next-hint.ts'
import type { Run } from './run.ts'

/** What every refusal brings along for the message about it: what can be done instead, and the facts in their form. */
export type Refusal = { readonly next: Next; readonly details?: NonNullable<CliError['details']> }

/** Of what can be refused before a run is known; then its caller knows what can be done instead. */
export type EarlyRefusal = Partial<Refusal>

/** A refusal that says what the run stands for now. */
export function refuse(run: Run): Refusal {
  return { next: nextHint(run), details: stateOf(run) }
}

/** A refusal that says how the run is resumed. */
export function refuseResume(run: Run): Refusal {
  return { next: resumeHint(run), details: stateOf(run) }
}

export function stateOf({ id, state }: Run): { run_id: string; state: Run['state'] } {
  return { run_id: id, state }
}
