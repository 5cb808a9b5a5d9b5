/**
 * What a run's journal keeps of each thing that happened: what kind of thing it was, and everything about the run that it
 * changed. A field that is absent did not change; `null` says that there is nothing there any more.
 */
import { type TSchema, Type } from 'typebox'
import { Action } from '../../contract/action.shape.ts'
import { GitObservation } from '../../contract/git-observation.shape.ts'
import { ContractVersion, Digest, RunState, Timestamp } from '../../contract/identifiers.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Activity, Outcome, SuggestedAction } from '../../contract/outcome.shape.ts'
import { PauseReason } from '../../contract/pause.shape.ts'
import { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { ResumeResult, SourceChoiceReceipt } from '../../contract/resume-result.shape.ts'
import { ReviewProjection } from '../../contract/review.shape.ts'
import { AnswerRecord } from '../../contract/run-record.shape.ts'
import { SourceCandidate } from '../../contract/source-candidate.shape.ts'
import { MarkdownText, NonEmptyMarkdownText, NonEmptyText } from '../../contract/text.shape.ts'
import { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { literals, type Message, meaning, named, strict, tagged } from '../../kit/shape.ts'

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

const orNothing = <S extends TSchema>(description: string, shape: S) =>
  Type.Optional(Type.Union([shape, Type.Null()], { description }))

const appended = <S extends TSchema>(description: string, item: S) =>
  Type.Optional(Type.Array(item, { minItems: 1, description }))

/** What a run is from its beginning to its end, and the source that it begins with. */
const RunSeed = strict({
  goal: meaning('What the run is for.', NonEmptyMarkdownText),
  workspace_identity: WorkspaceIdentity,
  review_enabled: Type.Boolean({ description: 'Whether changes are to be reviewed.' }),
  initial_budget: Type.Integer({ minimum: 1, maximum: LIMITS.budget, description: 'How many actions it can have.' }),
  initial_git: meaning('The worktree when the run began.', GitObservation),
  pinned_source: Type.Optional(meaning('The requirements, where the run serves an issue.', PinnedSource)),
  created_at: meaning('When the run began.', Timestamp),
})
export type RunSeed = Message<typeof RunSeed>

/** What became of the action that was current: one of these, and only of that action. */
const ActionUpdate = tagged(
  'outcome',
  [
    strict({ outcome: Outcome, outcome_payload_sha256: meaning('Of the outcome as it was received.', Digest) }),
    tagged('skipped', [
      strict({
        skipped: Type.Literal(true, { description: 'That it was skipped.' }),
        review_projection: Type.Optional(ReviewProjection),
      }),
      strict({ voided: Type.Literal(true, { description: 'That it was withdrawn.' }) }),
    ]),
  ],
  { description: 'What became of the action that was current.' },
)
export type ActionUpdate = Message<typeof ActionUpdate>

const RunDelta = strict({
  event_version: Type.Literal(2, { description: 'The version of this record.' }),
  contract_version: ContractVersion,
  run_id: meaning('The run.', NonEmptyText),
  updated_at: meaning('When it happened.', Timestamp),
  initialize: Type.Optional(RunSeed),
  state: Type.Optional(RunState),
  pause_reason: orNothing('Why the run is paused.', PauseReason),
  review_pending: Type.Optional(Type.Boolean({ description: 'Whether a review is due.' })),
  remaining_budget: Type.Optional(Type.Integer({ minimum: 0, description: 'How many actions it can still have.' })),
  current_git: Type.Optional(meaning('The worktree as it was seen.', GitObservation)),
  final_git_observed: Type.Optional(Type.Literal(true, { description: 'That it was seen when the run ended.' })),
  action_update: Type.Optional(ActionUpdate),
  current_action: orNothing('The action that was issued; `null` if none is current any more.', Action),
  pending_actions: Type.Optional(
    Type.Array(SuggestedAction, { maxItems: 1, description: 'What was suggested and waits.' }),
  ),
  answer_appended: Type.Optional(meaning('What a person answered.', AnswerRecord)),
  answers_superseded: Type.Optional(
    strict(
      {
        action_ids: Type.Array(NonEmptyText, { minItems: 1, uniqueItems: true, description: 'Whose answers.' }),
        superseded_by: meaning('What replaced them.', NonEmptyText),
      },
      { description: 'The answers that no longer hold.' },
    ),
  ),
  pinned_source: Type.Optional(meaning('What is pinned from now on.', PinnedSource)),
  source_candidate: orNothing('What waits for a choice.', SourceCandidate),
  source_choice: Type.Optional(meaning('The choice that was made.', SourceChoiceReceipt)),
  last_resume_result: Type.Optional(ResumeResult),
  observations_appended: appended('What was noticed.', MarkdownText),
  known_issues_appended: appended('What is known to be wrong.', MarkdownText),
  uncertainties_appended: appended('What could not be told.', MarkdownText),
  activities_appended: appended('The checks that a host ran.', Activity),
  summary: Type.Optional(meaning('What came of the run.', NonEmptyText)),
})
export type RunDelta = Message<typeof RunDelta>

export const RunEvent = named(
  'runEvent',
  strict(
    { type: literals(EVENT_TYPES, { description: 'What happened.' }), data: RunDelta },
    { title: 'Run event', description: 'One thing that happened to a run.' },
  ),
)
export type RunEvent = Message<typeof RunEvent>
export type EventType = RunEvent['type']
