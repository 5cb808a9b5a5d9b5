import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Action } from './action.shape.ts'
import { DestructiveAuthorization, DestructiveRequest } from './destructive.shape.ts'
import { GitObservation } from './git-observation.shape.ts'
import { ContractVersion, RunState, Timestamp } from './identifiers.shape.ts'
import { Next } from './next.shape.ts'
import { Activity, SuggestedAction } from './outcome.shape.ts'
import { PauseReason } from './pause.shape.ts'
import { PinnedSource } from './pinned-source.shape.ts'
import { ResumeResult, SourceChoiceReceipt } from './resume-result.shape.ts'
import { ActionRecord, AnswerRecord } from './run-record.shape.ts'
import { RunVerdict } from './run-verdict.shape.ts'
import { SourceCandidate } from './source-candidate.shape.ts'
import { MarkdownText, NonEmptyPlainText, NonEmptyText } from './text-kinds.shape.ts'
import { WorkspaceIdentity } from './workspace-identity.shape.ts'

/** The fields of every run, even of another worktree. */
const common = {
  contract_version: ContractVersion,
  id: meaning('Id of the run.', NonEmptyText),
  goal: meaning('Goal of the run.', NonEmptyText),
  workspace: meaning('Root of its worktree.', NonEmptyText),
  workspace_identity: WorkspaceIdentity,
  verdict: Type.Optional(meaning('What became of it, if `drover drive` drives it.', RunVerdict)),
}

const notes = (description: string) => Type.Optional(Type.Array(MarkdownText, { description }))

const LocalRun = strict({
  ...common,
  workspace_foreign: Type.Optional(
    Type.Literal(false, { description: 'Whether the run belongs to another worktree.' }),
  ),
  state: RunState,
  pause_reason: Type.Optional(PauseReason),
  review_enabled: Type.Boolean({ description: 'Whether changes are reviewed.' }),
  review_pending: Type.Boolean({ description: 'Whether a review is due.' }),
  initial_budget: Type.Integer({ minimum: 1, description: 'Initial number of actions.' }),
  remaining_budget: Type.Integer({ minimum: 0, description: 'Remaining number of actions.' }),
  initial_git: meaning('The worktree at the start of the run.', GitObservation),
  current_git: meaning('The last observation of the worktree.', GitObservation),
  final_git_observed: Type.Boolean({ description: 'Whether the worktree was observed at the end of the run.' }),
  pinned_source: Type.Optional(meaning('The requirements of an issue-bound run.', PinnedSource)),
  source_candidate: Type.Optional(meaning('The candidate that is waiting for a choice.', SourceCandidate)),
  last_source_choice: Type.Optional(meaning('The last source choice.', SourceChoiceReceipt)),
  last_resume_result: Type.Optional(meaning('The result of the last resume.', ResumeResult)),
  current_action: Type.Optional(meaning('The current action.', Action)),
  actions: Type.Array(ActionRecord, { description: 'All issued actions, oldest first.' }),
  pending_actions: Type.Optional(Type.Array(SuggestedAction, { description: 'Suggestions that are not issued yet.' })),
  answers: Type.Optional(Type.Array(AnswerRecord, { description: 'Answers of people.' })),
  observations: notes('Observations of hosts and of drover.'),
  known_issues: notes('Known issues.'),
  uncertainties: notes('Uncertainties of hosts and of drover.'),
  activities: Type.Optional(Type.Array(Activity, { description: 'Checks that hosts ran.' })),
  summary: Type.Optional(meaning('Summary of an ended run.', NonEmptyText)),
  pending_destructive_request: Type.Optional(
    meaning('The request that is waiting for a confirmation.', DestructiveRequest),
  ),
  destructive_grant: Type.Optional(meaning('The authorization of the current action.', DestructiveAuthorization)),
  created_at: meaning('Start of the run.', Timestamp),
  updated_at: meaning('Time of the last change.', Timestamp),
  next: Next,
})

const ForeignRun = strict({
  ...common,
  workspace_foreign: Type.Literal(true, { description: 'Whether the run belongs to another worktree.' }),
  state: RunState,
  created_at: meaning('Start of the run.', Timestamp),
  next: Next,
})

/** A run of another worktree is listed, but cannot be read or changed from here. */
export const RunStatus = named(
  'runStatus',
  tagged('workspace_foreign', [LocalRun, ForeignRun], {
    title: 'Run status',
    description: 'Everything known about a run, or a stub if it belongs to another worktree.',
    'x-rules': { workspaceIsTheWorktree: '`workspace` is `workspace_identity.worktree_root`.' },
  }),
)
export type RunStatus = Message<typeof RunStatus>
export type LocalRun = Message<typeof LocalRun>

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
