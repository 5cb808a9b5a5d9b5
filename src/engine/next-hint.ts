import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next, NextVariants } from '../contract/next.shape.ts'
import { makeVariant } from '../contract/next-variants.ts'
import type { WorkspaceIdentity } from '../contract/workspace-identity.shape.ts'
import { pendingRequest, type Run } from './state/run.ts'

/** The commands that can follow in the current state of a run. The conditions are in the order of docs/machine-protocol.md. */
export function nextHint(run: Run): Next {
  const { state, pause_reason, current_action, workspace_identity } = run
  if (current_action === undefined) {
    return state === 'ended' ? noHint(workspace_identity) : offer('resume', workspace_identity, resumeVariants(run))
  }
  const ids = { RUN: run.id, ACTION: current_action.action_id, ROOT: workspace_identity.worktree_root }
  const skip = makeVariant('skip-action', ids)
  const request = pendingRequest(run)
  if (state === 'active') {
    return offer('action', workspace_identity, [
      makeVariant('submit-outcome-file', ids),
      makeVariant('submit-outcome-stdin', ids),
      skip,
    ])
  }
  if (pause_reason === 'environment_unavailable') {
    return offer('resume', workspace_identity, [...resumeVariants(run), skip])
  }
  if (request === undefined) return offer('answer', workspace_identity, [makeVariant('answer-decision', ids), skip])
  return offer('answer', workspace_identity, [
    makeVariant('confirm-destructive', { ...ids, DIGEST: request.scope_sha256 }),
    makeVariant('decline-or-feedback', ids),
    skip,
  ])
}

/** The commands that resume a run. A run that waits for an outcome or an answer cannot be resumed: then those that it waits for. */
export function resumeHint(run: Run): Next {
  const isResumable = run.state !== 'ended' && nextHint(run).operation === 'resume'
  return isResumable ? offer('resume', run.workspace_identity, resumeVariants(run)) : nextHint(run)
}

function resumeVariants(run: Run): NextVariants {
  const { pinned_source, source_candidate } = run
  const ids = { RUN: run.id, ROOT: run.workspace_identity.worktree_root }
  if (source_candidate !== undefined) {
    const choice = { ...ids, CANDIDATE: source_candidate.candidate_id }
    const keep = makeVariant('keep-pinned', choice)
    return source_candidate.valid ? [keep, makeVariant('adopt', choice)] : [keep]
  }
  return pinned_source === undefined
    ? [makeVariant('resume-ad-hoc', ids)]
    : [makeVariant('refresh-source', ids), makeVariant('use-pinned-source', ids)]
}

/** The options of a new run, without its goal. */
export type RunOptions = {
  readonly workspace_identity: WorkspaceIdentity
  readonly budget: number
  readonly reviewEnabled: boolean
  readonly hasSource: boolean
}

/** The command that starts a run with these options. */
export function startHint({ workspace_identity, budget, reviewEnabled, hasSource }: RunOptions): Next {
  const variant = makeVariant(hasSource ? 'start-with-source' : 'retry-run', {
    BUDGET: String(budget),
    ROOT: workspace_identity.worktree_root,
    options: reviewEnabled ? [] : ['--no-review'],
  })
  return offer('start', workspace_identity, [variant])
}

/** The command that starts a new run like this one, for a source that this one cannot accept. */
export function startAfresh(run: Run): Next {
  const { workspace_identity, initial_budget, review_enabled } = run
  return startHint({
    workspace_identity,
    budget: initial_budget,
    reviewEnabled: review_enabled,
    hasSource: true,
  })
}

export function noHint({ id }: WorkspaceIdentity): Next {
  return { operation: 'none', workspace_identity: id, variants: [] }
}

function offer(operation: Exclude<Next['operation'], 'none'>, { id }: WorkspaceIdentity, variants: NextVariants): Next {
  return { operation, workspace_identity: id, variants }
}

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
