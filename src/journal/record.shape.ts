import { Type } from 'typebox'
import { Digest, UtcTimestamp } from '../contract/identifiers.shape.ts'
import { NonEmptyText } from '../contract/text-kinds.shape.ts'
import { type Message, meaning, named, strict } from '../kit/shape.ts'

/** An event with the fields that the journal adds. The engine defines `type` and `data`. */
export const JournalRecord = named(
  'journalRecord',
  strict(
    {
      sequence: Type.Integer({ minimum: 1, description: 'The number of the record in its journal, from 1.' }),
      type: meaning('The type of the event.', NonEmptyText),
      at: meaning('Time of the event.', UtcTimestamp),
      data: Type.Object({}, { description: 'The changes that the event made.' }),
      chain: meaning('Digest of this record and all records before it.', Digest),
    },
    { title: 'Journal record', description: 'One line of the journal of a run.' },
  ),
)
export type JournalRecord = Message<typeof JournalRecord>
