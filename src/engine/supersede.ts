import type { AnswerRecord } from '../contract/run-record.shape.ts'
import { invalidDecisionSupersession } from './faults.ts'
import { refuse } from './refusal.ts'
import type { Run } from './run.ts'

/** The decision that was made for an action, if a new one may replace it: it holds, and for the requirements of now. */
export function findSupersedable(run: Run, actionId: string): AnswerRecord {
  const requirements = run.pinned_source?.requirements_revision
  const answer = run.answers.find(({ action_id }) => action_id === actionId)
  // A confirmation never is an active decision.
  if (answer?.active !== true || answer.requirements_revision !== requirements) {
    throw invalidDecisionSupersession({ ...refuse(run), action_id: actionId })
  }
  return answer
}

/** These answers hold no longer. */
export function supersede(run: Run, isMeant: (answer: AnswerRecord) => boolean, by: string): Run {
  const answers = run.answers.map((answer) =>
    isMeant(answer) ? { ...answer, active: false, superseded_by: by } : answer,
  )
  return { ...run, answers }
}
