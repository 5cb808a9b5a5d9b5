import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Timestamp } from './identifiers.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

const OPERATION = 'What the resume did.'
const BUDGET = 'Whether the requested budget was applied.'
const CANDIDATE = 'Id of the candidate.'

/** The fields depend on the operation, hence four branches. */
export const ResumeResult = named(
  'resumeResult',
  tagged(
    'operation',
    [
      strict({
        operation: Type.Literal('source_candidate_created', { description: OPERATION }),
        budget_applied: Type.Literal(false, { description: BUDGET }),
        candidate_id: meaning(CANDIDATE, NonEmptyText),
      }),
      strict({
        operation: Type.Literal('source_amended', { description: OPERATION }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
        candidate_id: meaning(CANDIDATE, NonEmptyText),
      }),
      strict({
        operation: Type.Literal('source_pinned', { description: OPERATION }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
        candidate_id: Type.Optional(meaning(CANDIDATE, NonEmptyText)),
      }),
      strict({
        operation: literals(['ad_hoc_resumed', 'source_refreshed', 'source_refresh_skipped'], {
          description: OPERATION,
        }),
        budget_applied: Type.Literal(true, { description: BUDGET }),
      }),
    ],
    { title: 'Resume result', description: 'The result of the last resume.' },
  ),
)
export type ResumeResult = Message<typeof ResumeResult>

/** The operations, for messages without the rest of the result. */
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
      candidate_id: meaning('Id of the candidate.', NonEmptyText),
      choice: literals(['pinned', 'adopt'], {
        description: 'Whether the pinned source was kept or the candidate adopted.',
      }),
      resulting_action_id: meaning('Id of the action that followed.', NonEmptyText),
      at: meaning('Time of the choice.', Timestamp),
    },
    { title: 'Source choice receipt', description: 'A choice between the pinned source and a candidate.' },
  ),
)
export type SourceChoiceReceipt = Message<typeof SourceChoiceReceipt>
