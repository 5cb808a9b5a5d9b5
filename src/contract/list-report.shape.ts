import { Type } from 'typebox'
import { type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { NonEmptyText } from './text.shape.ts'

const HostStatus = named(
  'hostStatus',
  strict(
    {
      id: meaning('The name of the host.', NonEmptyText),
      detected: Type.Boolean({ description: 'Whether the repository shows signs of the host.' }),
      installed: Type.Boolean({ description: 'Whether drover is installed into it.' }),
      needs_refresh: Type.Boolean({
        description: 'Whether what is installed differs from what this drover would install.',
      }),
      capabilities: Type.Array(NonEmptyText, {
        uniqueItems: true,
        description: 'What is installed for the host to call.',
      }),
      warning: Type.Optional(
        Type.String({
          description: 'Why the host could not be inspected fully; the other hosts are reported all the same.',
        }),
      ),
    },
    { title: 'Host status', description: 'One host, as a listing that changes nothing sees it.' },
  ),
)

export const ListReport = named(
  'listReport',
  strict(
    {
      contract_version: ContractVersion,
      hosts: Type.Array(HostStatus, { description: 'Every host that drover knows.' }),
    },
    { title: 'List report', description: 'The hosts and what is installed into them.' },
  ),
)
export type ListReport = Message<typeof ListReport>
