import { Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { ChangeReport } from './change-report.shape.ts'
import { ContractVersion, Digest, RunState, TransactionOutcome } from './identifiers.shape.ts'
import { Next } from './next.shape.ts'
import { Code, NonEmptyText } from './text.shape.ts'

const MutationDetails = named(
  'mutationDetails',
  strict(
    {
      phase: meaning('The step at which it failed.', NonEmptyText),
      committed: Type.Boolean({ description: 'Whether the change is recorded for good.' }),
      projection_stale: Type.Boolean({ description: 'Whether what is derived from the record is out of date.' }),
      namespace_detached: Type.Boolean({ description: 'Whether the place of the record was lost while writing.' }),
      ambiguous: Type.Boolean({ description: 'Whether it is unknown if the change is recorded.' }),
    },
    { title: 'Mutation details', description: 'How far a change of a run came.' },
  ),
)

const RunStateDetails = named(
  'runStateDetails',
  strict(
    { run_id: meaning('The run.', NonEmptyText), state: meaning('Where it stands.', RunState) },
    { title: 'Run state details', description: 'The run that does not allow it.' },
  ),
)

const WorkspaceIdentityDetails = named(
  'workspaceIdentityDetails',
  strict(
    {
      expected_workspace_identity: meaning('The worktree that was expected.', Digest),
      observed_workspace_identity: Type.Optional(meaning('The worktree that was found.', Digest)),
      discovery_error: Type.Optional(meaning('Why none could be found.', NonEmptyText)),
    },
    { title: 'Workspace identity details', description: 'The worktrees that differ.' },
  ),
)

const SourceIssueMismatchDetails = named(
  'sourceIssueMismatchDetails',
  strict(
    {
      run_id: meaning('The run.', NonEmptyText),
      state: meaning('Where it stands.', RunState),
      pinned_issue_id: meaning('The issue that it serves.', NonEmptyText),
      refreshed_issue_id: meaning('The issue that was given.', NonEmptyText),
    },
    { title: 'Source issue mismatch details', description: 'The issues that differ.' },
  ),
)

const AdapterMutationDetails = named(
  'adapterMutationDetails',
  strict(
    {
      transaction_outcome: TransactionOutcome,
      report: meaning('What happened to files.', ChangeReport),
    },
    { title: 'Adapter mutation details', description: 'How far a change of hosts came.' },
  ),
)

const JournalRecordLimitDetails = named(
  'journalRecordLimitDetails',
  strict(
    {
      context: meaning('What was too large.', NonEmptyText),
      size: Type.Integer({ minimum: 1, description: 'Its bytes.' }),
      limit: Type.Integer({ minimum: 1, description: 'The bytes that are allowed.' }),
    },
    { title: 'Journal record limit details', description: 'The record that was not written.' },
  ),
)

/** Each form has a field that those after it have not. */
const Details = tagged('phase', [
  MutationDetails,
  tagged('expected_workspace_identity', [
    WorkspaceIdentityDetails,
    tagged('transaction_outcome', [
      AdapterMutationDetails,
      tagged('context', [
        JournalRecordLimitDetails,
        tagged('pinned_issue_id', [SourceIssueMismatchDetails, RunStateDetails]),
      ]),
    ]),
  ]),
])

export const CliError = named(
  'cliError',
  strict(
    {
      contract_version: ContractVersion,
      code: meaning('What happened, as a word that does not change.', Code),
      message: meaning('What happened and what to do about it, in words.', NonEmptyText),
      next: Next,
      exit_code: Type.Enum<[2, 3]>([2, 3], {
        description: '2: the call was wrong and nothing was attempted. 3: it was well formed and failed.',
      }),
      details: Type.Optional(meaning('The facts, in one of these forms.', Details)),
    },
    {
      title: 'Error',
      description: 'Why a command failed, as one line on standard error.',
      'x-rules': {
        outcomeIsThatOfTheReport: 'Where `details` has a report, their `transaction_outcome` is that of the report.',
      },
    },
  ),
)
export type CliError = Message<typeof CliError>
