/** What can follow when the input of a command cannot be read. The run is read, so that what is offered can be done. */
import type { Next, NextVariant } from '../contract/next.shape.ts'
import { makeVariant } from '../contract/next-variants.ts'
import { nextHint, resumeHint } from '../engine/next-hint.ts'
import type { Run } from '../engine/state/run.ts'
import { runBusy } from '../journal/faults.ts'
import { isFault } from '../kit/fault.ts'
import { openRun } from './open-run.ts'
import type { RunContext } from './run-context.ts'

/** After an unreadable envelope: how to resume the run. Throws if there is no such run, or it cannot be read. */
export async function nextForResume(
  context: RunContext,
  runId: string,
  { budget }: { readonly budget?: number | undefined },
): Promise<Next> {
  const fixed = budget === undefined ? {} : { BUDGET: String(budget) }
  const refresh = makeVariant('refresh-source', { RUN: runId, ROOT: context.workspace.worktree_root, ...fixed })
  return await hintFor(context, runId, { hint: resumeHint, whileBusy: { operation: 'resume', variant: refresh } })
}

export type SubmitVariant = 'submit-outcome-file' | 'submit-outcome-stdin'

/** After an unreadable outcome: the same variant, if the action is current; else what the run waits for. */
export async function nextForSubmit(
  context: RunContext,
  runId: string,
  { actionId, variant }: { readonly actionId: string; readonly variant: SubmitVariant },
): Promise<Next> {
  const again = makeVariant(variant, { RUN: runId, ACTION: actionId, ROOT: context.workspace.worktree_root })
  const hint = (run: Run): Next => {
    const next = nextHint(run)
    const isCurrent = next.operation === 'action' && run.current_action?.action_id === actionId
    return isCurrent ? { ...next, variants: [again] } : next
  }
  return await hintFor(context, runId, { hint, whileBusy: { operation: 'action', variant: again } })
}

type Hints = {
  readonly hint: (run: Run) => Next
  /** A busy run exists, but its state is unknown. */
  readonly whileBusy: { readonly operation: 'resume' | 'action'; readonly variant: NextVariant }
}

async function hintFor(context: RunContext, runId: string, { hint, whileBusy }: Hints): Promise<Next> {
  try {
    return await openRun(context, runId, hint)
  } catch (error) {
    if (!isFault(error, runBusy)) throw error
    const { operation, variant } = whileBusy
    return { operation, workspace_identity: context.workspace.id, variants: [variant] }
  }
}
