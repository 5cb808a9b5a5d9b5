/** Why a run pauses, and what an outcome says about it. */
import { Type } from 'typebox'
import { literals, meaning, named, strict, tagged } from '../kit/shape.ts'
import { DestructiveRequest } from './destructive.shape.ts'
import { NonEmptyMarkdownText, NonEmptyPlainText } from './text-kinds.shape.ts'

/** A new reason also needs a case in engine/rules/state-rules.ts and in engine/next-hint.ts. */
export const PauseReason = named(
  'pauseReason',
  literals(['decision_required', 'destructive_confirmation_required', 'environment_unavailable', 'budget_exhausted'], {
    title: 'Pause reason',
    description: 'Why the run is paused.',
  }),
)

const REQUEST = 'The destructive request; `null` for other reasons.'
const QUESTION = 'The question or message to a person.'

const DecisionPause = strict({
  reason: Type.Literal('decision_required', { description: 'Why the action pauses.' }),
  question: meaning(QUESTION, NonEmptyMarkdownText),
  destructive_request: Type.Null({ description: REQUEST }),
  supersedes_answer_action_id: Type.Optional(
    meaning('The action whose answer the new answer supersedes.', NonEmptyPlainText),
  ),
})

const EnvironmentPause = strict({
  reason: Type.Literal('environment_unavailable', { description: 'Why the action pauses.' }),
  question: meaning(QUESTION, NonEmptyMarkdownText),
  destructive_request: Type.Null({ description: REQUEST }),
})

const DestructivePause = strict({
  reason: Type.Literal('destructive_confirmation_required', { description: 'Why the action pauses.' }),
  question: meaning(QUESTION, NonEmptyMarkdownText),
  destructive_request: meaning(REQUEST, DestructiveRequest),
})

export const Pause = named(
  'pause',
  tagged('reason', [DecisionPause, EnvironmentPause], {
    title: 'Pause',
    description: 'What an action is waiting for. Only a decision may supersede an earlier answer.',
  }),
)

export const ImplementPause = named(
  'implementPause',
  tagged('reason', [DecisionPause, EnvironmentPause, DestructivePause], {
    title: 'Pause of an implement action',
    description:
      'What an implement action is waiting for. Only a decision may supersede an earlier answer, and only a destructive confirmation has a request.',
  }),
)
