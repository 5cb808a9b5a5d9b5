import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { Code, NonEmptyText } from './text.shape.ts'

const DoctorDurability = named(
  'doctorDurability',
  strict(
    {
      level: literals(['file_and_directory_fsync', 'file_fsync_only'], { description: 'How far a write is secured.' }),
      file_sync: Type.Boolean({ description: 'Whether the content of files is forced to the disk.' }),
      directory_sync: Type.Boolean({ description: 'Whether the names in directories are too.' }),
      limitation: Type.Optional(meaning('What is missing.', NonEmptyText)),
    },
    { title: 'Durability', description: 'What a power failure can undo of what drover has recorded.' },
  ),
)

const DoctorCheck = named(
  'doctorCheck',
  strict(
    {
      code: meaning('What was found, as a word.', Code),
      status: literals(['ok', 'warning', 'error'], { description: 'How bad it is.' }),
      host_id: meaning('The host it is about, `-` for none.', NonEmptyText),
      name: meaning('What was looked at.', NonEmptyText),
      detail: meaning('What was found, in words.', NonEmptyText),
      durability: Type.Optional(meaning('On the check of the place where runs are kept.', DoctorDurability)),
    },
    { title: 'Doctor check', description: 'One thing that was looked at.' },
  ),
)

export const DoctorReport = named(
  'doctorReport',
  strict(
    {
      contract_version: ContractVersion,
      checks: Type.Array(DoctorCheck, { description: 'In the order in which they were made.' }),
    },
    { title: 'Doctor report', description: 'Whether everything that drover needs is in order.' },
  ),
)
export type DoctorReport = Message<typeof DoctorReport>
