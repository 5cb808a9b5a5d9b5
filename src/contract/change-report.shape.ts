import { Type } from 'typebox'
import { literals, type Message, named, strict, tagged } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { emptyList } from './list.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

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
