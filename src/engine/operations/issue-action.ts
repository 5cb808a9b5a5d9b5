import type { Action } from '../../contract/action.shape.ts'
import { actionBytes, checkAction } from '../../contract/action.ts'
import type { DestructiveAuthorization } from '../../contract/destructive.shape.ts'
import { CONTRACT_VERSION, LIMITS } from '../../contract/limits.ts'
import type { Next } from '../../contract/next.shape.ts'
import type { ResumeResult } from '../../contract/resume-result.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import type { Facts, GitFacts } from '../decision.ts'
import { actionTooLarge, invalidAction } from '../faults.ts'
import { nextHint } from '../next-hint.ts'
import { toActionRequirements, toActionSource } from '../state/action-requirements.ts'
import { isChanged, isWorktreeChanged } from '../state/git-changes.ts'
import { type ActionKind, issue, pause, type Run, withdrawAction } from '../state/run.ts'
import { composeBrief } from '../texts/compose-brief.ts'
import { composeContext } from '../texts/compose-context.ts'
import { addNotes, dropSuggestions, noteDifference, noteIncompleteContent, observationFailure } from '../texts/notes.ts'
import { budgetOnResume } from './budget.ts'

/** The action to issue. */
type Order = {
  readonly kind: ActionKind
  readonly brief: string
  readonly authorization?: DestructiveAuthorization
}

/** The id of the new action, and the `next` to report if it cannot be issued. */
export type Issuing = { readonly actionId: string; readonly next: Next }

export type WorkFacts = { readonly gitFacts: GitFacts; readonly issuing: Issuing }

/** Issues an action, or pauses the run if its budget is spent. */
export function issueAction(run: Run, order: Order, { actionId, next }: Issuing): Run {
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  const action = composeAction(run, order, { actionId, next })
  const { remaining_budget } = action
  return { ...issue(run, action), state: 'active', pause_reason: undefined, remaining_budget }
}

export function pauseWithoutBudget(run: Run): Run {
  const emptied = dropSuggestions(run, 'the budget is spent')
  return pause({ ...emptied, current_action: undefined }, 'budget_exhausted')
}

function composeAction(run: Run, { kind, brief, authorization }: Order, { actionId, next }: Issuing): Action {
  const source = run.pinned_source
  const frame = withoutUndefined({
    contract_version: CONTRACT_VERSION,
    run_id: run.id,
    action_id: actionId,
    kind,
    goal: run.goal,
    brief: composeBrief(run, kind, brief),
    context: '',
    source: source && toActionSource(source),
    requirements: source && toActionRequirements(run, source, actionId),
    destructive_authorization: authorization,
    remaining_budget: run.remaining_budget - 1,
  }) as Action
  const frameBytes = actionBytes(frame)
  const context = composeContext(run, LIMITS.actionBytes - frameBytes)
  if (context === undefined) throw actionTooLarge({ next, sizeBytes: frameBytes, limitBytes: LIMITS.actionBytes })
  try {
    return checkAction({ ...frame, context })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalidAction({ next, problem: error.message }, error)
  }
}

type Observed = Extract<GitFacts, { is: 'observed' }>

/** Stores an observation and notes what is special about it. */
function recordGitFacts(run: Run, { git }: Observed): Run {
  const isNew = git.snapshot_hash !== run.current_git.snapshot_hash
  const observed = isNew ? { ...run, current_git: git } : run
  const compared = isWorktreeChanged(observed) ? noteDifference(observed) : observed
  return git.content_observation_complete ? compared : noteIncompleteContent(compared)
}

/**
 * Stores an observation made after work on the files. A review becomes due if the worktree differs from the start of the
 * run in a way that no review has seen yet.
 */
export function recordWork(run: Run, facts: Observed): Run {
  const after = recordGitFacts(run, facts)
  const isUnreviewed = run.review_pending || isReviewUnfinished(run) || isChanged(run.current_git, after.current_git)
  return { ...after, review_pending: run.review_enabled && isUnreviewed && isWorktreeChanged(after) }
}

/** Only a completed review counts: a skipped, failed or inconclusive one leaves the changes unreviewed. */
function isReviewUnfinished({ actions }: Run): boolean {
  const review = actions.findLast(({ action }) => action.kind === 'review')
  return review !== undefined && review.outcome?.status !== 'completed'
}

/** A run whose worktree cannot be observed waits for its environment. */
export function pauseUnobserved(run: Run, when: string, problem: string): Run {
  return pause(addNotes(run, 'known_issues', [observationFailure(when, problem)]), 'environment_unavailable')
}

/** The briefs for a review and a summary. A suggested action brings its own brief. */
type WorkFactsBriefs = { readonly review: string; readonly summarize: string }

/**
 * Issues the action that follows a finished or skipped one: a review if there are changes that no review has seen, else the
 * suggested action, else the summary. The status and the findings of the finished action play no part: people judge those.
 */
export function issueNextAction(run: Run, briefs: WorkFactsBriefs, issuing: Issuing): Run {
  if (run.review_pending) {
    const withoutSuggestions = dropSuggestions(run, 'a review comes first')
    return issueAction(withoutSuggestions, { kind: 'review', brief: briefs.review }, issuing)
  }
  if (run.remaining_budget < 1) return pauseWithoutBudget(run)
  return issueAction({ ...run, pending_actions: [] }, nextOrder(run, briefs), issuing)
}

function nextOrder({ pending_actions: [suggested] }: Run, { summarize }: WorkFactsBriefs): Order {
  return suggested ?? { kind: 'summarize', brief: summarize }
}

/** Ends a run, with what git says of the worktree at that moment. */
export function endRun(run: Run, gitFacts: GitFacts, summarize: (run: Run) => string): Run {
  const observed =
    gitFacts.is === 'observed'
      ? { ...recordGitFacts(run, gitFacts), final_git_observed: true }
      : addNotes(run, 'uncertainties', [observationFailure('when the run ended', gitFacts.problem)])
  const ended: Run = { ...observed, state: 'ended', pause_reason: undefined, current_action: undefined }
  return { ...ended, summary: summarize(ended) }
}

/** Withdraws the current action and drops suggestions, because a new orientation follows. */
export function interrupt(run: Run): Run {
  return dropSuggestions(withdrawAction(run), 'the run was interrupted')
}

type Continuation = {
  readonly brief: string
  readonly result: ResumeResult
  /** Noted as an observation, so that programs can tell what happened to the source. */
  readonly token?: string
  readonly budget: number | undefined
  readonly facts: Facts
}

/** Continues a run with an orientation. `before` is the run at the time of the request. */
export function continueRun(before: Run, run: Run, { brief, result, token, budget, facts }: Continuation): Run {
  const noted = token === undefined ? run : addNotes(run, 'observations', [token])
  const ready: Run = {
    ...interrupt(noted),
    remaining_budget: budgetOnResume(run, budget),
    last_resume_result: result,
  }
  const issuing = { actionId: facts.actionId, next: nextHint(before) }
  return issueAction(ready, { kind: 'orient', brief }, issuing)
}
