import { Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { ContractVersion, Digest, RunState, TransactionOutcome } from './identifiers.shape.ts'
import { Next } from './next.shape.ts'
import { ChangeReport } from './reports.shape.ts'
import { Code, NonEmptyText } from './text-kinds.shape.ts'

const MutationDetails = named(
  'mutationDetails',
  strict(
    {
      phase: meaning('The step that failed.', NonEmptyText),
      committed: Type.Boolean({ description: 'Whether the change is recorded durably.' }),
      projection_stale: Type.Boolean({ description: 'Whether the snapshot beside the journal is out of date.' }),
      namespace_detached: Type.Boolean({
        description: 'Whether the directory of the run was moved or removed during the change.',
      }),
      ambiguous: Type.Boolean({ description: 'Whether it is unknown if the change is recorded.' }),
    },
    { title: 'Mutation details', description: 'How far a change to a run got.' },
  ),
)

const RunStateDetails = named(
  'runStateDetails',
  strict(
    { run_id: meaning('Id of the run.', NonEmptyText), state: meaning('State of the run.', RunState) },
    { title: 'Run state details', description: 'The run that refused the command.' },
  ),
)

const WorkspaceIdentityDetails = named(
  'workspaceIdentityDetails',
  strict(
    {
      expected_workspace_identity: meaning('Id of the worktree that owns the run.', Digest),
      observed_workspace_identity: Type.Optional(meaning('Id of the current worktree.', Digest)),
      discovery_error: Type.Optional(meaning('Why the worktree could not be identified.', NonEmptyText)),
    },
    { title: 'Workspace identity details', description: 'The two worktrees that differ.' },
  ),
)

const SourceIssueMismatchDetails = named(
  'sourceIssueMismatchDetails',
  strict(
    {
      run_id: meaning('Id of the run.', NonEmptyText),
      state: meaning('State of the run.', RunState),
      pinned_issue_id: meaning('The issue that the run is bound to.', NonEmptyText),
      refreshed_issue_id: meaning('The issue of the refreshed source.', NonEmptyText),
    },
    { title: 'Source issue mismatch details', description: 'The two issues that differ.' },
  ),
)

const AdapterMutationDetails = named(
  'adapterMutationDetails',
  strict(
    {
      transaction_outcome: TransactionOutcome,
      report: meaning('The file changes.', ChangeReport),
    },
    { title: 'Adapter mutation details', description: 'How far a change to hosts got.' },
  ),
)

const JournalRecordLimitDetails = named(
  'journalRecordLimitDetails',
  strict(
    {
      context: meaning('The part that is too large.', NonEmptyText),
      size: Type.Integer({ minimum: 1, description: 'Its size in bytes.' }),
      limit: Type.Integer({ minimum: 1, description: 'The limit in bytes.' }),
    },
    { title: 'Journal record limit details', description: 'The journal record that was too large to write.' },
  ),
)

/** Each form has a field that the forms after it lack. */
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
      code: meaning('Stable error code.', Code),
      message: meaning('What went wrong and what to do about it.', NonEmptyText),
      next: Next,
      exit_code: Type.Enum<[2, 3]>([2, 3], {
        description:
          '2: the invocation was wrong and nothing was attempted. 3: the invocation was well formed and failed.',
      }),
      details: Type.Optional(meaning('Details in one of six forms.', Details)),
    },
    {
      title: 'Error',
      description: 'Why a command failed, as one line on standard error.',
      'x-rules': {
        outcomeIsThatOfTheReport: 'If `details` has a report, both have the same `transaction_outcome`.',
      },
    },
  ),
)
export type CliError = Message<typeof CliError>
