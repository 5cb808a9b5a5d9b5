import { type TProperties, type TSchema, Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Action } from './action.shape.ts'
import { Digest, Timestamp } from './identifiers.shape.ts'
import { Outcome } from './outcome.shape.ts'
import { ReviewProjection } from './review.shape.ts'
import { NonEmptyText } from './text.shape.ts'

export const AnswerRecord = named(
  'answerRecord',
  strict(
    {
      action_id: meaning('The action that asked.', NonEmptyText),
      text: Type.String({ description: 'The answer, exactly.' }),
      confirm_destructive: Type.Boolean({ description: 'Whether it allowed a destructive request.' }),
      scope_sha256: Type.Optional(meaning('What exactly it allowed.', Digest)),
      payload_sha256: meaning('Of the whole answer: the same one given twice counts once.', Digest),
      active: Type.Boolean({ description: 'Whether it is a decision that still holds.' }),
      source_revision: Type.Optional(meaning('The source at that time.', Digest)),
      requirements_revision: Type.Optional(meaning('The requirements at that time.', Digest)),
      superseded_by: Type.Optional(
        meaning('The action whose answer replaced it, or `requirements:` and the revision that did.', NonEmptyText),
      ),
      at: meaning('When it was given.', Timestamp),
    },
    { title: 'Answer record', description: 'An answer that a person gave.' },
  ),
)
export type AnswerRecord = Message<typeof AnswerRecord>

const record = <A extends TSchema, P extends TProperties>(action: A, own: P) =>
  strict({
    action: meaning('What was asked.', action),
    ...own,
    voided: Type.Optional(Type.Boolean({ description: 'Whether it was withdrawn.' })),
  })

const reviewAction = Type.Intersect([Action, Type.Object({ kind: Type.Literal('review') })])

const skipped = { skipped: Type.Optional(Type.Boolean({ description: 'Whether it was skipped.' })) }

/** Skipped reviews, actions with an outcome, and actions without one. */
export const ActionRecord = named(
  'actionRecord',
  tagged(
    'review_projection',
    [
      record(reviewAction, {
        review_projection: ReviewProjection,
        skipped: Type.Literal(true, { description: 'Whether it was skipped.' }),
      }),
      tagged('outcome', [
        record(Action, {
          outcome: Outcome,
          outcome_payload_sha256: meaning('Of the outcome exactly as it was received.', Digest),
          ...skipped,
        }),
        record(Action, skipped),
      ]),
    ],
    {
      title: 'Action record',
      description:
        'An action that was issued, and what became of it. `outcome` and its digest come together; a review that was skipped has `review_projection` in their place, and `skipped` is true.',
    },
  ),
)
export type ActionRecord = Message<typeof ActionRecord>
