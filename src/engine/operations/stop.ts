import { type Decided, decide } from '../decision.ts'
import { runAlreadyEnded } from '../faults.ts'
import { refuse } from '../next-hint.ts'
import { type Run, withdrawAction } from '../state/run.ts'

/** Stops a run and withdraws its current action. It can be resumed. */
export function stop(run: Run, { now }: { readonly now: string }): Decided {
  if (run.state === 'ended') throw runAlreadyEnded(refuse(run))
  if (run.state === 'stopped') return { is: 'unchanged', run }
  const draft: Run = { ...withdrawAction(run), state: 'stopped', pause_reason: undefined }
  return decide(run, { type: 'run_stopped', draft, now })
}
