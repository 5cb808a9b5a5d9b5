/**
 * An event of a run, as its journal records it: the type of the event and all changes to the run. An absent field did not
 * change; `null` means that the value was removed.
 */
import { type TSchema, Type } from 'typebox'
import { Action } from '../../contract/action.shape.ts'
import { GitObservation } from '../../contract/git-observation.shape.ts'
import { ContractVersion, Digest, RunState, Timestamp } from '../../contract/identifiers.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Activity, Outcome, ReviewProjection, SuggestedAction } from '../../contract/outcome.shape.ts'
import { PauseReason } from '../../contract/pause.shape.ts'
import { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { ResumeResult, SourceChoiceReceipt } from '../../contract/resume-result.shape.ts'
import { AnswerRecord } from '../../contract/run-record.shape.ts'
import { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { MarkdownText, NonEmptyMarkdownText, NonEmptyText } from '../../contract/text-kinds.shape.ts'
import { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import {
  literals,
  type Message,
  meaning,
  named,
  optionalFlag,
  optionalInteger,
  strict,
  tagged,
} from '../../kit/shape.ts'

const EVENT_TYPES = [
  'run_started',
  'outcome_submitted',
  'answer_recorded',
  'action_skipped',
  'run_stopped',
  'run_resumed',
  'source_refreshed',
  'source_candidate_created',
  'source_refresh_skipped',
  'source_amended',
  'source_pinned',
] as const

const orRemoved = <S extends TSchema>(description: string, shape: S) =>
  Type.Optional(Type.Union([shape, Type.Null()], { description }))

const appended = <S extends TSchema>(description: string, item: S) =>
  Type.Optional(Type.Array(item, { minItems: 1, description }))

/** The fixed properties of a run, and its first source. */
const RunSeed = strict({
  goal: meaning('Goal of the run.', NonEmptyMarkdownText),
  workspace_identity: WorkspaceIdentity,
  review_enabled: Type.Boolean({ description: 'Whether changes are reviewed.' }),
  initial_budget: Type.Integer({ minimum: 1, maximum: LIMITS.budget, description: 'Initial number of actions.' }),
  initial_git: meaning('The worktree at the start of the run.', GitObservation),
  pinned_source: Type.Optional(meaning('The requirements of an issue-bound run.', PinnedSource)),
  created_at: meaning('Start of the run.', Timestamp),
})
export type RunSeed = Message<typeof RunSeed>

/** The result of the current action. */
const ActionUpdate = tagged(
  'outcome',
  [
    strict({
      outcome: Outcome,
      outcome_payload_sha256: meaning('Digest of the received bytes of the outcome.', Digest),
    }),
    tagged('skipped', [
      strict({
        skipped: Type.Literal(true, { description: 'The action was skipped.' }),
        review_projection: Type.Optional(ReviewProjection),
      }),
      strict({ voided: Type.Literal(true, { description: 'The action was withdrawn.' }) }),
    ]),
  ],
  { description: 'The result of the current action.' },
)
export type ActionUpdate = Message<typeof ActionUpdate>

const RunDelta = strict({
  event_version: Type.Literal(2, { description: 'Version of the event format.' }),
  contract_version: ContractVersion,
  run_id: meaning('Id of the run.', NonEmptyText),
  updated_at: meaning('Time of the event.', Timestamp),
  initialize: Type.Optional(RunSeed),
  state: Type.Optional(RunState),
  pause_reason: orRemoved('Why the run is paused.', PauseReason),
  review_pending: optionalFlag('Whether a review is due.'),
  remaining_budget: optionalInteger('Remaining number of actions.', { minimum: 0 }),
  current_git: Type.Optional(meaning('The new observation of the worktree.', GitObservation)),
  final_git_observed: Type.Optional(
    Type.Literal(true, { description: 'The worktree was observed at the end of the run.' }),
  ),
  action_update: Type.Optional(ActionUpdate),
  current_action: orRemoved('The issued action; `null` if no action is current any more.', Action),
  pending_actions: Type.Optional(
    Type.Array(SuggestedAction, { maxItems: 1, description: 'Suggestions that are not issued yet.' }),
  ),
  answer_appended: Type.Optional(meaning('The new answer of a person.', AnswerRecord)),
  answers_superseded: Type.Optional(
    strict(
      {
        action_ids: Type.Array(NonEmptyText, {
          minItems: 1,
          uniqueItems: true,
          description: 'The actions whose answers are superseded.',
        }),
        superseded_by: meaning('What superseded them.', NonEmptyText),
      },
      { description: 'The answers that no longer apply.' },
    ),
  ),
  pinned_source: Type.Optional(meaning('The newly pinned source.', PinnedSource)),
  source_candidate: orRemoved('The candidate that is waiting for a choice.', SourceCandidate),
  source_choice: Type.Optional(meaning('The new source choice.', SourceChoiceReceipt)),
  last_resume_result: Type.Optional(ResumeResult),
  observations_appended: appended('New observations.', MarkdownText),
  known_issues_appended: appended('New known issues.', MarkdownText),
  uncertainties_appended: appended('New uncertainties.', MarkdownText),
  activities_appended: appended('New checks of a host.', Activity),
  summary: Type.Optional(meaning('Summary of the ended run.', NonEmptyText)),
})
export type RunDelta = Message<typeof RunDelta>

export const RunEvent = named(
  'runEvent',
  strict(
    { type: literals(EVENT_TYPES, { description: 'Type of the event.' }), data: RunDelta },
    { title: 'Run event', description: 'One event of a run.' },
  ),
)
export type RunEvent = Message<typeof RunEvent>
export type EventType = RunEvent['type']
