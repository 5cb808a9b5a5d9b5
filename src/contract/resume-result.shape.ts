import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Timestamp } from './identifiers.shape.ts'
import { NonEmptyText } from './text.shape.ts'

const ASKING = 'What the resume did.'
const BUDGET = 'Whether the budget that was asked for was set.'
const CANDIDATE = 'The candidate it is about.'

/** What a resume did. Which fields there are depends on the operation, so the table is four branches. */
export const ResumeResult = named(
  'resumeResult',
  tagged(
    'operation',
    [
      strict({
        operation: Type.Literal('source_candidate_created', { description: ASKING }),
        budget_applied: Type.Literal(false, { description: BUDGET }),
        candidate_id: meaning(CANDIDATE, NonEmptyText),
      }),
      strict({
        operation: Type.Literal('source_amended', { description: ASKING }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
        candidate_id: meaning(CANDIDATE, NonEmptyText),
      }),
      strict({
        operation: Type.Literal('source_pinned', { description: ASKING }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
        candidate_id: Type.Optional(meaning(CANDIDATE, NonEmptyText)),
      }),
      strict({
        operation: literals(['ad_hoc_resumed', 'source_refreshed', 'source_refresh_skipped'], { description: ASKING }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
      }),
    ],
    { title: 'Resume result', description: 'What the last resume of a run did.' },
  ),
)
export type ResumeResult = Message<typeof ResumeResult>

/** The same words where they stand without the rest of the result. */
export const ResumeOperation = named(
  'resumeOperation',
  literals(
    [
      'ad_hoc_resumed',
      'source_refreshed',
      'source_candidate_created',
      'source_refresh_skipped',
      'source_amended',
      'source_pinned',
    ],
    { title: 'Resume operation', description: 'What a resume did.' },
  ),
)

export const SourceChoiceReceipt = named(
  'sourceChoiceReceipt',
  strict(
    {
      candidate_id: meaning('The candidate that waited.', NonEmptyText),
      choice: literals(['pinned', 'adopt'], {
        description: 'Whether the pinned source stayed or the candidate replaced it.',
      }),
      resulting_action_id: meaning('The action that followed.', NonEmptyText),
      at: meaning('When.', Timestamp),
    },
    { title: 'Source choice receipt', description: 'How the wait for a choice of source ended.' },
  ),
)
export type SourceChoiceReceipt = Message<typeof SourceChoiceReceipt>
