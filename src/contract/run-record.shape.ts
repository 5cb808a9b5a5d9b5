import { type TProperties, type TSchema, Type } from 'typebox'
import { type Message, meaning, named, optionalFlag, strict, tagged } from '../kit/shape.ts'
import { Action } from './action.shape.ts'
import { Digest, Timestamp } from './identifiers.shape.ts'
import { Outcome, ReviewProjection } from './outcome.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

export const AnswerRecord = named(
  'answerRecord',
  strict(
    {
      action_id: meaning('Id of the action that asked.', NonEmptyText),
      text: Type.String({ description: 'The exact text of the answer.' }),
      confirm_destructive: Type.Boolean({ description: 'Whether it confirms a destructive request.' }),
      scope_sha256: Type.Optional(meaning('The confirmed scope.', Digest)),
      payload_sha256: meaning('Digest of the whole answer. A repeated answer has the same digest.', Digest),
      active: Type.Boolean({ description: 'Whether it is a decision that still applies.' }),
      source_revision: Type.Optional(meaning('Source revision at that time.', Digest)),
      requirements_revision: Type.Optional(meaning('Requirements revision at that time.', Digest)),
      superseded_by: Type.Optional(
        meaning('The action whose answer superseded it, or `requirements:` and the new revision.', NonEmptyText),
      ),
      at: meaning('Time of the answer.', Timestamp),
    },
    { title: 'Answer record', description: 'An answer of a person.' },
  ),
)
export type AnswerRecord = Message<typeof AnswerRecord>

const record = <A extends TSchema, P extends TProperties>(action: A, own: P) =>
  strict({
    action: meaning('The action.', action),
    ...own,
    voided: optionalFlag('Whether the action was withdrawn.'),
  })

const reviewAction = Type.Intersect([Action, Type.Object({ kind: Type.Literal('review') })])

const skipped = { skipped: optionalFlag('Whether the action was skipped.') }

/** Skipped reviews, actions with an outcome, and actions without one. */
export const ActionRecord = named(
  'actionRecord',
  tagged(
    'review_projection',
    [
      record(reviewAction, {
        review_projection: ReviewProjection,
        skipped: Type.Literal(true, { description: 'Whether the action was skipped.' }),
      }),
      tagged('outcome', [
        record(Action, {
          outcome: Outcome,
          outcome_payload_sha256: meaning('Digest of the received bytes of the outcome.', Digest),
          ...skipped,
        }),
        record(Action, skipped),
      ]),
    ],
    {
      title: 'Action record',
      description:
        'An issued action and its result. `outcome` and its digest appear together. A skipped review has `review_projection` instead, and `skipped` is true.',
    },
  ),
)
export type ActionRecord = Message<typeof ActionRecord>
