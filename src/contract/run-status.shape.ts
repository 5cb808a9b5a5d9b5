import { Type } from 'typebox'
import { type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
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
import { SourceCandidate } from './source-candidate.shape.ts'
import { MarkdownText, NonEmptyText } from './text.shape.ts'
import { WorkspaceIdentity } from './workspace-identity.shape.ts'

/** What is known of every run, also from another worktree. */
const common = {
  contract_version: ContractVersion,
  id: meaning('The run.', NonEmptyText),
  goal: meaning('What it is for.', NonEmptyText),
  workspace: meaning('The root of its worktree.', NonEmptyText),
  workspace_identity: WorkspaceIdentity,
}

const notes = (description: string) => Type.Optional(Type.Array(MarkdownText, { description }))

const LocalRun = strict({
  ...common,
  workspace_foreign: Type.Optional(Type.Literal(false, { description: 'Whether another worktree has the run.' })),
  state: RunState,
  pause_reason: Type.Optional(PauseReason),
  review_enabled: Type.Boolean({ description: 'Whether changes are to be reviewed.' }),
  review_pending: Type.Boolean({ description: 'Whether a review is due.' }),
  initial_budget: Type.Integer({ minimum: 1, description: 'How many actions it could have at first.' }),
  remaining_budget: Type.Integer({ minimum: 0, description: 'How many it can still have.' }),
  initial_git: meaning('The worktree when the run began.', GitObservation),
  current_git: meaning('The worktree as it was last seen.', GitObservation),
  final_git_observed: Type.Boolean({ description: 'Whether the worktree was seen when the run ended.' }),
  pinned_source: Type.Optional(meaning('The requirements, where the run serves an issue.', PinnedSource)),
  source_candidate: Type.Optional(meaning('What waits for a choice.', SourceCandidate)),
  last_source_choice: Type.Optional(meaning('The last such choice.', SourceChoiceReceipt)),
  last_resume_result: Type.Optional(meaning('What the last resume did.', ResumeResult)),
  current_action: Type.Optional(meaning('What is being worked on.', Action)),
  actions: Type.Array(ActionRecord, { description: 'All that was issued, the oldest first.' }),
  pending_actions: Type.Optional(Type.Array(SuggestedAction, { description: 'What was suggested and waits.' })),
  answers: Type.Optional(Type.Array(AnswerRecord, { description: 'What a person answered.' })),
  observations: notes('What was noticed.'),
  known_issues: notes('What is known to be wrong.'),
  uncertainties: notes('What could not be told.'),
  activities: Type.Optional(Type.Array(Activity, { description: 'The checks that hosts ran.' })),
  summary: Type.Optional(meaning('What came of it, once the run has ended.', NonEmptyText)),
  pending_destructive_request: Type.Optional(meaning('What a person is asked to allow.', DestructiveRequest)),
  destructive_grant: Type.Optional(meaning('What a person has allowed.', DestructiveAuthorization)),
  created_at: meaning('When the run began.', Timestamp),
  updated_at: meaning('When it last changed.', Timestamp),
  next: Next,
})

const ForeignRun = strict({
  ...common,
  workspace_foreign: Type.Literal(true, { description: 'Whether another worktree has the run.' }),
  state: RunState,
  created_at: meaning('When the run began.', Timestamp),
  next: Next,
})

/** Another worktree's run can be found, and neither read nor changed from here. */
export const RunStatus = named(
  'runStatus',
  tagged('workspace_foreign', [LocalRun, ForeignRun], {
    title: 'Run status',
    description: 'A run: all that is known of it, or, where it belongs to another worktree, that it exists.',
    'x-rules': { workspaceIsTheWorktree: '`workspace` is `workspace_identity.worktree_root`.' },
  }),
)
export type RunStatus = Message<typeof RunStatus>
export type LocalRun = Message<typeof LocalRun>
