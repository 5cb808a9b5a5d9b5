import { Type } from 'typebox'
import { Digest, UtcTimestamp } from '../contract/identifiers.shape.ts'
import { NonEmptyText } from '../contract/text.shape.ts'
import { type Message, meaning, named, strict } from '../kit/shape.ts'

/** What the journal adds to an event. What `type` and `data` may be is for the engine to say. */
export const JournalRecord = named(
  'journalRecord',
  strict(
    {
      sequence: Type.Integer({ minimum: 1, description: 'Which record of its journal this is.' }),
      type: meaning('What happened.', NonEmptyText),
      at: meaning('When it happened.', UtcTimestamp),
      data: Type.Object({}, { description: 'What changed by it.' }),
      chain: meaning('Of this record and all before it.', Digest),
    },
    { title: 'Journal record', description: 'One line of the journal of a run.' },
  ),
)
export type JournalRecord = Message<typeof JournalRecord>
