import { Type } from 'typebox'
import { literals, type Message, meaning, named, optionalText, strict, tagged } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { emptyList } from './list.shape.ts'
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

const HostStatus = named(
  'hostStatus',
  strict(
    {
      id: meaning('Name of the host.', NonEmptyText),
      detected: Type.Boolean({ description: 'Whether the repository has files of the host.' }),
      installed: Type.Boolean({ description: 'Whether drover is installed for it.' }),
      needs_refresh: Type.Boolean({
        description: 'Whether the installed files differ from those of this drover version.',
      }),
      capabilities: Type.Array(NonEmptyText, {
        uniqueItems: true,
        description: 'The installed capabilities.',
      }),
      warning: optionalText('Why the host could not be inspected fully. The other hosts are still reported.'),
    },
    { title: 'Host status', description: 'The status of one host.' },
  ),
)

export const ListReport = named(
  'listReport',
  strict(
    {
      contract_version: ContractVersion,
      hosts: Type.Array(HostStatus, { description: 'All hosts that drover supports.' }),
    },
    { title: 'List report', description: 'The hosts and what is installed for them.' },
  ),
)
export type ListReport = Message<typeof ListReport>

const list = (description: string) => Type.Array(NonEmptyText, { description })
const none = (description: string) => emptyList(NonEmptyText, { description })

const rest = {
  preserved: list('Files that were not touched because drover did not write them or they were edited since.'),
  recovery_artifacts: list('Files and folders that were moved aside and can be restored by hand.'),
  warnings: list('Warnings for the user.'),
}

/** Only a committed change has written or removed files. */
export const ChangeReport = named(
  'changeReport',
  tagged(
    'transaction_outcome',
    [
      strict({
        contract_version: ContractVersion,
        hosts: list('The hosts of the change.'),
        transaction_outcome: Type.Literal('committed', { description: 'Result of the change.' }),
        written: list('Written files.'),
        removed: list('Removed files.'),
        ...rest,
      }),
      strict({
        contract_version: ContractVersion,
        hosts: list('The hosts of the change.'),
        transaction_outcome: literals(['rolled_back', 'not_committed', 'ambiguous'], {
          description: 'Result of the change.',
        }),
        written: none('Written files.'),
        removed: none('Removed files.'),
        ...rest,
      }),
    ],
    { title: 'Change report', description: 'The file changes of an install or uninstall.' },
  ),
)
export type ChangeReport = Message<typeof ChangeReport>
