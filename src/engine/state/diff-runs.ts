import { withoutUndefined } from '../../kit/json-value.ts'
import type { Run } from './run.ts'
import type { ActionUpdate, RunDelta } from './run-event.shape.ts'

export type RunChanges = Omit<RunDelta, 'event_version' | 'contract_version' | 'run_id' | 'updated_at' | 'initialize'>

/** All differences between two runs. `after` must still hold all added observations. */
export function diffRuns(before: Run, after: Run): RunChanges {
  const changed = <F extends keyof Run>(field: F): Run[F] | undefined =>
    isSameValue(before[field], after[field]) ? undefined : after[field]
  const replaced = <F extends keyof Run>(field: F) =>
    isSameValue(before[field], after[field]) ? undefined : (after[field] ?? null)
  return withoutUndefined({
    state: changed('state'),
    pause_reason: replaced('pause_reason'),
    review_pending: changed('review_pending'),
    remaining_budget: changed('remaining_budget'),
    current_git: changed('current_git'),
    final_git_observed: after.final_git_observed && !before.final_git_observed ? (true as const) : undefined,
    action_update: toActionUpdate(before, after),
    current_action: replaced('current_action'),
    pending_actions: changed('pending_actions'),
    answer_appended: after.answers[before.answers.length],
    answers_superseded: superseded(before, after),
    pinned_source: changed('pinned_source'),
    source_candidate: replaced('source_candidate'),
    source_choice: after.source_choices[before.source_choices.length],
    last_resume_result: changed('last_resume_result'),
    observations_appended: appended(before.observations, after.observations),
    known_issues_appended: appended(before.known_issues, after.known_issues),
    uncertainties_appended: appended(before.uncertainties, after.uncertainties),
    activities_appended: appended(before.activities, after.activities),
    summary: changed('summary'),
  })
}

function appended<T>(before: readonly T[], after: readonly T[]): readonly T[] | undefined {
  return after.length === before.length ? undefined : after.slice(before.length)
}

/** The new result of the last action in `before`. */
function toActionUpdate(before: Run, after: Run): ActionUpdate | undefined {
  const then = before.actions.at(-1)
  const now = after.actions[before.actions.length - 1]
  if (then === now || now === undefined) return undefined
  if (now.outcome !== then?.outcome && now.outcome !== undefined) {
    return { outcome: now.outcome, outcome_payload_sha256: now.outcome_payload_sha256 }
  }
  if (now.voided !== then?.voided) return { voided: true }
  return withoutUndefined({ skipped: true as const, review_projection: now.review_projection })
}

function superseded(before: Run, after: Run): RunDelta['answers_superseded'] {
  if (before.answers === after.answers) return undefined
  const replaced = after.answers.filter((answer, index) => before.answers[index]?.active === true && !answer.active)
  const by = replaced[0]?.superseded_by
  if (by === undefined) return undefined
  return { action_ids: replaced.map(({ action_id }) => action_id), superseded_by: by }
}

/** Deep equality of plain objects, arrays and scalars. Identical references are not descended into. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameValue(one[key], other[key]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
