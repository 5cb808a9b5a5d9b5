import type { Action } from '../../contract/action.shape.ts'
import type { DestructiveAuthorization, DestructiveRequest } from '../../contract/destructive.shape.ts'
import type { PinnedSource, PinnedSourceSection } from '../../contract/pinned-source.shape.ts'
import type { SourceChoiceReceipt } from '../../contract/resume-result.shape.ts'
import type { ActionRecord } from '../../contract/run-record.shape.ts'
import type { LocalRun } from '../../contract/run-status.shape.ts'
import type { ActionUpdate, RunSeed } from './run-event.shape.ts'

export type ActionKind = Action['kind']
export type PauseReason = NonNullable<LocalRun['pause_reason']>

/** Fields of a status that are computed from the rest of a run, so a run does not hold them. */
type Derived =
  | 'contract_version'
  | 'workspace'
  | 'workspace_foreign'
  | 'last_source_choice'
  | 'pending_destructive_request'
  | 'destructive_grant'
  | 'verdict'
  | 'next'

type Stored = Omit<LocalRun, Derived | 'actions'>

type Lists = 'pending_actions' | 'answers' | 'observations' | 'known_issues' | 'uncertainties' | 'activities'

/** Id and kind of an action: all that is needed once it is no longer current. Its texts are in the event that issued it. */
export type IssuedAction = Pick<Action, 'action_id' | 'kind'>

type Traced<R> = R extends ActionRecord ? Omit<R, 'action'> & { readonly action: IssuedAction } : never

/** An issued action and its result: the `actionRecord` of a status, without the texts of the action. */
export type ActionTrace = Traced<ActionRecord>

/** A run as the engine works with it. Its fields are named as in a status; a missing value is undefined or an empty list. */
export type Run = {
  readonly [F in keyof Required<Stored>]: F extends Lists ? NonNullable<Stored[F]> : Stored[F]
} & {
  /** Every issued action, oldest first. */
  readonly actions: readonly ActionTrace[]
  /** Every choice between a candidate and the pinned source, oldest first. */
  readonly source_choices: readonly SourceChoiceReceipt[]
  /** Every section that was ever pinned, oldest first: its comment must not come back with another text. */
  readonly accepted_sections: readonly PinnedSourceSection[]
  /** The number of older observations that are in the journal only. */
  readonly omitted_observations: number
}

/** An issue-bound run. */
export type BoundRun = Run & { readonly pinned_source: PinnedSource }

export function isBound(run: Run): run is BoundRun {
  return run.pinned_source !== undefined
}

/** A run before its first action. */
export function seedRun(id: string, seed: RunSeed): Run {
  const { pinned_source, ...fixed } = seed
  const run: Run = {
    ...fixed,
    id,
    state: 'active',
    pause_reason: undefined,
    review_pending: false,
    remaining_budget: seed.initial_budget,
    current_git: seed.initial_git,
    final_git_observed: false,
    pinned_source: undefined,
    source_candidate: undefined,
    source_choices: [],
    accepted_sections: [],
    last_resume_result: undefined,
    current_action: undefined,
    actions: [],
    pending_actions: [],
    answers: [],
    observations: [],
    omitted_observations: 0,
    known_issues: [],
    uncertainties: [],
    activities: [],
    summary: undefined,
    updated_at: seed.created_at,
  }
  return pinned_source === undefined ? run : pinSource(run, pinned_source)
}

export function pinSource(run: Run, source: PinnedSource): Run {
  const known = new Set(run.accepted_sections.map(({ provenance }) => provenance.comment_node_id))
  const added = source.sections.filter(({ provenance }) => !known.has(provenance.comment_node_id))
  return { ...run, pinned_source: source, accepted_sections: [...run.accepted_sections, ...added] }
}

/** Adds an action and makes it current. */
export function issue(run: Run, action: Action): Run {
  const { action_id, kind } = action
  return { ...run, current_action: action, actions: [...run.actions, { action: { action_id, kind } }] }
}

/** The record of the current action, which is always the last one. */
export function currentRecord(run: Run): ActionTrace | undefined {
  return run.current_action === undefined ? undefined : run.actions.at(-1)
}

export function findRecord(run: Run, actionId: string): ActionTrace | undefined {
  return run.actions.find(({ action }) => action.action_id === actionId)
}

/** Adds a result to the record of the current action. */
export function updateCurrent(run: Run, update: ActionUpdate): Run {
  const record = currentRecord(run)
  if (record === undefined) return run
  // The compiler cannot see which update fits which record; the event rules ensure it.
  const updated = { ...record, ...update } as ActionTrace
  return { ...run, actions: [...run.actions.slice(0, -1), updated] }
}

/** Voids the current action, if there is one: its outcome is no longer accepted, or no longer counts. */
export function withdrawAction(run: Run): Run {
  return { ...updateCurrent(run, { voided: true }), current_action: undefined }
}

export function pause(run: Run, reason: PauseReason): Run {
  return { ...run, state: 'paused', pause_reason: reason }
}

/**
 * The authorization of the current action. Destructive requests and grants are stored only in the outcome or action that
 * carries them, so a grant cannot differ from its request, and neither outlives its action.
 */
export function destructiveGrant(run: Run): DestructiveAuthorization | undefined {
  return run.state === 'active' ? run.current_action?.destructive_authorization : undefined
}

/** The request that waits for a confirmation, or that was confirmed for the current action. */
export function pendingRequest(run: Run): DestructiveRequest | undefined {
  const grant = destructiveGrant(run)
  if (grant !== undefined) {
    const { request_id, targets, impact, scope_sha256 } = grant
    return { request_id, targets, impact, scope_sha256 }
  }
  // If git failed when the request was submitted, the run waits for its environment instead.
  const isAsking = run.pause_reason === 'destructive_confirmation_required'
  const pause = currentRecord(run)?.outcome?.pause
  return isAsking && pause?.reason === run.pause_reason ? pause.destructive_request : undefined
}

type History = readonly ActionTrace[]

/**
 * The action ids of a history and of every history that continues it. The set is built once and passed on from history to
 * history, so a lookup in a long run costs no more than in a short one.
 */
const idsOf = new WeakMap<History, Set<string>>()

export function hasActionId(history: History, id: string): boolean {
  // The set is shared by all continuations, so an id in it may belong to another one.
  return collectIds(history).has(id) && history.some(({ action }) => action.action_id === id)
}

/** Reuses the id set of `before` for `after`, the history one event later. */
export function passOnActionIds(before: History, after: History): void {
  const ids = collectIds(before)
  const issued = after[before.length]
  if (issued !== undefined) ids.add(issued.action.action_id)
  idsOf.set(after, ids)
}

function collectIds(history: History): Set<string> {
  const known = idsOf.get(history)
  if (known !== undefined) return known
  const ids = new Set(history.map(({ action }) => action.action_id))
  idsOf.set(history, ids)
  return ids
}
