import { runEventInvalid } from './faults.ts'
import { ACTION_RULES, ANSWER_RULES } from './rules/action-rules.ts'
import { SOURCE_RULES } from './rules/source-rules.ts'
import { STATE_RULES } from './rules/state-rules.ts'
import type { TransitionRule } from './rules/transition.ts'
import { diffRuns, isSameValue } from './state/diff-runs.ts'
import { issue, passOnActionIds, pinSource, type Run, seedRun, updateCurrent } from './state/run.ts'
import type { RunDelta, RunEvent } from './state/run-event.shape.ts'

/** A run holds this many observations; its journal has all of them. */
const MAX_OBSERVATIONS = 128

/**
 * Returns the run after an event. Throws if the event breaks a rule, or if it states more or less than what changed: each
 * change has exactly one encoding.
 */
export function applyEvent(before: Run | undefined, event: RunEvent): Run {
  const refused = (problem: string) => runEventInvalid({ type: event.type, problem })
  const { data } = event
  if ((before === undefined) !== (data.initialize !== undefined)) {
    throw refused(before === undefined ? 'it does not start a run' : 'the run is already started')
  }
  const base = before ?? (data.initialize && seedRun(data.run_id, data.initialize))
  if (base === undefined || base.id !== data.run_id) throw refused(`it belongs to the run ${data.run_id}`)
  const after = applyChanges(base, data)
  const { event_version: _v, contract_version: _c, run_id: _r, updated_at: _u, initialize: _i, ...changes } = data
  if (!isSameValue(diffRuns(base, after), changes)) throw refused('it does not state exactly what changed')
  // The message of the first rule that an event breaks.
  const broken = RULES.find(({ holds }) => !holds({ before: base, event, after }))?.says
  if (broken !== undefined) throw refused(broken)
  passOnActionIds(base.actions, after.actions)
  return dropOldObservations({ ...after, updated_at: data.updated_at })
}

function applyChanges(run: Run, delta: RunDelta): Run {
  const { action_update, current_action, pinned_source } = delta
  const updated = action_update === undefined ? run : updateCurrent(run, action_update)
  const pinned = pinned_source === undefined ? updated : pinSource(updated, pinned_source)
  return {
    ...(current_action ? issue(pinned, current_action) : pinned),
    state: delta.state ?? run.state,
    pause_reason: orUnchanged(delta.pause_reason, run.pause_reason),
    review_pending: delta.review_pending ?? run.review_pending,
    remaining_budget: delta.remaining_budget ?? run.remaining_budget,
    current_git: delta.current_git ?? run.current_git,
    final_git_observed: delta.final_git_observed ?? run.final_git_observed,
    current_action: orUnchanged(current_action, run.current_action),
    pending_actions: delta.pending_actions ?? run.pending_actions,
    answers: applyAnswers(run, delta),
    source_candidate: orUnchanged(delta.source_candidate, run.source_candidate),
    source_choices: append(run.source_choices, delta.source_choice && [delta.source_choice]),
    last_resume_result: delta.last_resume_result ?? run.last_resume_result,
    observations: append(run.observations, delta.observations_appended),
    known_issues: append(run.known_issues, delta.known_issues_appended),
    uncertainties: append(run.uncertainties, delta.uncertainties_appended),
    activities: append(run.activities, delta.activities_appended),
    summary: delta.summary ?? run.summary,
  }
}

function orUnchanged<T>(change: T | null | undefined, before: T | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined)
}

function append<T>(list: readonly T[], more: readonly T[] | undefined): readonly T[] {
  return more === undefined ? list : [...list, ...more]
}

function applyAnswers(run: Run, { answers_superseded, answer_appended }: RunDelta): Run['answers'] {
  const answers =
    answers_superseded === undefined
      ? run.answers
      : run.answers.map((answer) =>
          answers_superseded.action_ids.includes(answer.action_id)
            ? { ...answer, active: false, superseded_by: answers_superseded.superseded_by }
            : answer,
        )
  return append(answers, answer_appended && [answer_appended])
}

function dropOldObservations(run: Run): Run {
  const excess = run.observations.length - MAX_OBSERVATIONS
  if (excess <= 0) return run
  return {
    ...run,
    observations: run.observations.slice(excess),
    omitted_observations: run.omitted_observations + excess,
  }
}

const RULES: readonly TransitionRule[] = [...STATE_RULES, ...ACTION_RULES, ...ANSWER_RULES, ...SOURCE_RULES]
