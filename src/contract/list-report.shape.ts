import { Type } from 'typebox'
import { type Message, meaning, named, optionalText, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

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
