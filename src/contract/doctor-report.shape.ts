import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { Code, NonEmptyText } from './text-kinds.shape.ts'

const DoctorDurability = named(
  'doctorDurability',
  strict(
    {
      level: literals(['file_and_directory_fsync', 'file_fsync_only'], { description: 'What a write syncs.' }),
      file_sync: Type.Boolean({ description: 'Whether file content is synced to disk.' }),
      directory_sync: Type.Boolean({ description: 'Whether directory entries are synced to disk.' }),
      limitation: Type.Optional(meaning('What is not synced.', NonEmptyText)),
    },
    { title: 'Durability', description: 'Which writes of drover survive a power failure.' },
  ),
)

const DoctorCheck = named(
  'doctorCheck',
  strict(
    {
      code: meaning('Stable code of the result.', Code),
      status: literals(['ok', 'warning', 'error'], { description: 'Severity of the result.' }),
      host_id: meaning('The host of the check, `-` for none.', NonEmptyText),
      name: meaning('Name of the check.', NonEmptyText),
      detail: meaning('The result in words.', NonEmptyText),
      durability: Type.Optional(meaning('Only in the check of the run directory.', DoctorDurability)),
    },
    { title: 'Doctor check', description: 'One check and its result.' },
  ),
)

export const DoctorReport = named(
  'doctorReport',
  strict(
    {
      contract_version: ContractVersion,
      checks: Type.Array(DoctorCheck, { description: 'The checks, in the order in which they ran.' }),
    },
    { title: 'Doctor report', description: 'The health checks of drover and their results.' },
  ),
)
export type DoctorReport = Message<typeof DoctorReport>
