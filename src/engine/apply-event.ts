import { handOnActionIds } from './action-ids.ts'
import { diffRuns } from './diff-runs.ts'
import type { RunDelta, RunEvent } from './event.shape.ts'
import { findBrokenRule } from './event-rules.ts'
import { runEventInvalid } from './faults.ts'
import { issue, pinSource, type Run, seedRun, updateCurrent } from './run.ts'
import { isSameValue } from './same-value.ts'

/** How many observations a run keeps at hand; its journal keeps all. */
const KEPT_OBSERVATIONS = 128

/**
 * The run after an event. An event that cannot have happened to the run is refused, and so is one that says more or less
 * than what changed: there is one way to write down a change.
 */
export function applyEvent(before: Run | undefined, event: RunEvent): Run {
  const refused = (problem: string) => runEventInvalid({ type: event.type, problem })
  const { data } = event
  if ((before === undefined) !== (data.initialize !== undefined)) {
    throw refused(before === undefined ? 'it does not begin a run' : 'the run has begun already')
  }
  const base = before ?? (data.initialize && seedRun(data.run_id, data.initialize))
  if (base === undefined || base.id !== data.run_id) throw refused(`it belongs to the run ${data.run_id}`)
  const after = applyChanges(base, data)
  const { event_version: _v, contract_version: _c, run_id: _r, updated_at: _u, initialize: _i, ...changes } = data
  if (!isSameValue(diffRuns(base, after), changes)) throw refused('it does not say exactly what changed')
  const broken = findBrokenRule({ before: base, event, after })
  if (broken !== undefined) throw refused(broken)
  handOnActionIds(base.actions, after.actions)
  return forgetOldObservations({ ...after, updated_at: data.updated_at })
}

/** The run that all these events together made, the first of which started it. */
export function replay(events: Iterable<RunEvent>): Run | undefined {
  let run: Run | undefined
  for (const event of events) run = applyEvent(run, event)
  return run
}

function applyChanges(run: Run, delta: RunDelta): Run {
  const { action_update, current_action, pinned_source } = delta
  const updated = action_update === undefined ? run : updateCurrent(run, action_update)
  const pinned = pinned_source === undefined ? updated : pinSource(updated, pinned_source)
  return {
    ...(current_action ? issue(pinned, current_action) : pinned),
    state: delta.state ?? run.state,
    pause_reason: orKept(delta.pause_reason, run.pause_reason),
    review_pending: delta.review_pending ?? run.review_pending,
    remaining_budget: delta.remaining_budget ?? run.remaining_budget,
    current_git: delta.current_git ?? run.current_git,
    final_git_observed: delta.final_git_observed ?? run.final_git_observed,
    current_action: orKept(current_action, run.current_action),
    pending_actions: delta.pending_actions ?? run.pending_actions,
    answers: applyAnswers(run, delta),
    source_candidate: orKept(delta.source_candidate, run.source_candidate),
    source_choices: added(run.source_choices, delta.source_choice && [delta.source_choice]),
    last_resume_result: delta.last_resume_result ?? run.last_resume_result,
    observations: added(run.observations, delta.observations_appended),
    known_issues: added(run.known_issues, delta.known_issues_appended),
    uncertainties: added(run.uncertainties, delta.uncertainties_appended),
    activities: added(run.activities, delta.activities_appended),
    summary: delta.summary ?? run.summary,
  }
}

function orKept<T>(given: T | null | undefined, kept: T | undefined): T | undefined {
  return given === undefined ? kept : (given ?? undefined)
}

function added<T>(list: readonly T[], more: readonly T[] | undefined): readonly T[] {
  return more === undefined ? list : [...list, ...more]
}

function applyAnswers(run: Run, { answers_superseded, answer_appended }: RunDelta): Run['answers'] {
  const kept =
    answers_superseded === undefined
      ? run.answers
      : run.answers.map((answer) =>
          answers_superseded.action_ids.includes(answer.action_id)
            ? { ...answer, active: false, superseded_by: answers_superseded.superseded_by }
            : answer,
        )
  return added(kept, answer_appended && [answer_appended])
}

function forgetOldObservations(run: Run): Run {
  const excess = run.observations.length - KEPT_OBSERVATIONS
  if (excess <= 0) return run
  return {
    ...run,
    observations: run.observations.slice(excess),
    omitted_observations: run.omitted_observations + excess,
  }
}
