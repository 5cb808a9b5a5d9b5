import type { AnswerRecord } from '../../contract/run-record.shape.ts'
import { invalidDecisionSupersession } from '../faults.ts'
import { refuse } from '../refusal.ts'
import type { Run } from '../state/run.ts'

/** The active decision for an action; throws if a new answer may not supersede it. */
export function findSupersedableAnswer(run: Run, actionId: string): AnswerRecord {
  const requirements = run.pinned_source?.requirements_revision
  const answer = run.answers.find(({ action_id }) => action_id === actionId)
  // A confirmation is never active, so it cannot be superseded.
  if (answer?.active !== true || answer.requirements_revision !== requirements) {
    throw invalidDecisionSupersession({ ...refuse(run), action_id: actionId })
  }
  return answer
}

/** Deactivates the matching answers. */
export function supersedeAnswers(run: Run, matches: (answer: AnswerRecord) => boolean, by: string): Run {
  const answers = run.answers.map((answer) =>
    matches(answer) ? { ...answer, active: false, superseded_by: by } : answer,
  )
  return { ...run, answers }
}
