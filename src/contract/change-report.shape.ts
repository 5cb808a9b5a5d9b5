import { Type } from 'typebox'
import { literals, type Message, named, strict, tagged } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { noneOf } from './list.shape.ts'
import { NonEmptyText } from './text.shape.ts'

const list = (description: string) => Type.Array(NonEmptyText, { description })
const none = (description: string) => noneOf(NonEmptyText, { description })

const rest = {
  preserved: list('Files that were left as they are because they are not, or no longer, what drover wrote.'),
  recovery_artifacts: list('What was put aside and can be restored by hand.'),
  warnings: list('What a person should know.'),
}

/** Only a committed change has changed anything. */
export const ChangeReport = named(
  'changeReport',
  tagged(
    'transaction_outcome',
    [
      strict({
        contract_version: ContractVersion,
        hosts: list('The hosts that were to be changed.'),
        transaction_outcome: Type.Literal('committed', { description: 'What became of the change.' }),
        written: list('Files that were written.'),
        removed: list('Files that were removed.'),
        ...rest,
      }),
      strict({
        contract_version: ContractVersion,
        hosts: list('The hosts that were to be changed.'),
        transaction_outcome: literals(['rolled_back', 'not_committed', 'ambiguous'], {
          description: 'What became of the change.',
        }),
        written: none('Files that were written.'),
        removed: none('Files that were removed.'),
        ...rest,
      }),
    ],
    { title: 'Change report', description: 'What installing into hosts, or uninstalling, did to files.' },
  ),
)
export type ChangeReport = Message<typeof ChangeReport>
