import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../kit/shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { RunStatus } from './run-status.shape.ts'
import { NonEmptyPlainText } from './text.shape.ts'

const UnavailableRun = named(
  'unavailableRun',
  strict(
    {
      id: meaning('The run.', NonEmptyPlainText),
      code: literals(['run_journal_invalid', 'run_unavailable', 'run_busy'], { description: 'What is in the way.' }),
      detail: meaning('The same in words.', NonEmptyPlainText),
    },
    {
      title: 'Unavailable run',
      description: 'A run that is there and cannot be read; the others are listed all the same.',
    },
  ),
)

export const StatusList = named(
  'statusList',
  strict(
    {
      contract_version: ContractVersion,
      runs: Type.Array(RunStatus, { description: 'The oldest first.' }),
      unavailable_runs: Type.Array(UnavailableRun, { description: 'By id.' }),
    },
    { title: 'Status list', description: 'The runs of a repository: all of them, or those that were asked for.' },
  ),
)
export type StatusList = Message<typeof StatusList>
