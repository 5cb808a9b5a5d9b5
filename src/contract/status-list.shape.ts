import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { RunStatus } from './run-status.shape.ts'
import { NonEmptyPlainText } from './text-kinds.shape.ts'

const UnavailableRun = named(
  'unavailableRun',
  strict(
    {
      id: meaning('Id of the run.', NonEmptyPlainText),
      code: literals(['run_journal_invalid', 'run_unavailable', 'run_busy'], {
        description: 'Why the run cannot be read.',
      }),
      detail: meaning('The reason in words.', NonEmptyPlainText),
    },
    {
      title: 'Unavailable run',
      description: 'A run that cannot be read. The others are still listed.',
    },
  ),
)

export const StatusList = named(
  'statusList',
  strict(
    {
      contract_version: ContractVersion,
      runs: Type.Array(RunStatus, { description: 'The runs, oldest first.' }),
      unavailable_runs: Type.Array(UnavailableRun, { description: 'Unreadable runs, sorted by id.' }),
    },
    { title: 'Status list', description: 'The runs of a repository: all of them, or those with the requested states.' },
  ),
)
export type StatusList = Message<typeof StatusList>
