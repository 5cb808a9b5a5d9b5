import type { Action } from '../contract/action.shape.ts'
import type { PinnedSource, PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import type { SourceChoiceReceipt } from '../contract/resume-result.shape.ts'
import type { ActionRecord } from '../contract/run-record.shape.ts'
import type { LocalRun } from '../contract/run-status.shape.ts'
import type { ActionUpdate, RunSeed } from './event.shape.ts'

export type ActionKind = Action['kind']
export type PauseReason = NonNullable<LocalRun['pause_reason']>

/** What a status shows that follows from the rest of a run, and is therefore not kept. */
type Derived =
  | 'contract_version'
  | 'workspace'
  | 'workspace_foreign'
  | 'last_source_choice'
  | 'pending_destructive_request'
  | 'destructive_grant'
  | 'next'

type Kept = Omit<LocalRun, Derived | 'actions'>

type Lists = 'pending_actions' | 'answers' | 'observations' | 'known_issues' | 'uncertainties' | 'activities'

/** An action by its name: all that is looked at once it is no longer current. Its texts are in the event that issued it. */
export type IssuedAction = Pick<Action, 'action_id' | 'kind'>

type Traced<R> = R extends ActionRecord ? Omit<R, 'action'> & { readonly action: IssuedAction } : never

/** An action that was issued, and what became of it: the record that a status has, without the texts of the action. */
export type ActionTrace = Traced<ActionRecord>

/** A run as it is decided about. Its fields have the names they have in a status; what is not there is undefined or empty. */
export type Run = {
  readonly [F in keyof Required<Kept>]: F extends Lists ? NonNullable<Kept[F]> : Kept[F]
} & {
  /** Every action that was issued, the oldest first. */
  readonly actions: readonly ActionTrace[]
  /** Every choice between a candidate and the pinned source, the oldest first. */
  readonly source_choices: readonly SourceChoiceReceipt[]
  /** Every section that was ever pinned, the oldest first: its comment may not come back with another text. */
  readonly accepted_sections: readonly PinnedSourceSection[]
  /** How many observations there were before those that are kept. */
  readonly omitted_observations: number
}

/** A run that serves an issue. */
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

/** Makes an action the current one. */
export function issue(run: Run, action: Action): Run {
  const { action_id, kind } = action
  return { ...run, current_action: action, actions: [...run.actions, { action: { action_id, kind } }] }
}

/** The record of the current action. Whatever is issued becomes current, so it is the last one. */
export function currentRecord(run: Run): ActionTrace | undefined {
  return run.current_action === undefined ? undefined : run.actions.at(-1)
}

export function findRecord(run: Run, actionId: string): ActionTrace | undefined {
  return run.actions.find(({ action }) => action.action_id === actionId)
}

/** Adds to the record of the current action what became of it. */
export function updateCurrent(run: Run, update: ActionUpdate): Run {
  const record = currentRecord(run)
  if (record === undefined) return run
  // Which update fits which record, the compiler cannot tell; the rules of events can.
  const updated = { ...record, ...update } as ActionTrace
  return { ...run, actions: [...run.actions.slice(0, -1), updated] }
}

/** Takes the current action back, if there is one: its outcome is no longer wanted, or no longer counts. */
export function withdrawAction(run: Run): Run {
  return { ...updateCurrent(run, { voided: true }), current_action: undefined }
}

export function pause(run: Run, reason: PauseReason): Run {
  return { ...run, state: 'paused', pause_reason: reason }
}
