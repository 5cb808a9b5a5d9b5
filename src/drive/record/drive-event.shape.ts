/** The events of a driven run, as `drive.jsonl` records them beside the journal of the run. */
import { Type } from 'typebox'
import { DecidedApproval, SteeredMessage, Usage } from '../../agents/adapter/agent.shape.ts'
import { Digest, UtcTimestamp } from '../../contract/identifiers.shape.ts'
import { literals, type Message, meaning, named, strict, tagged } from '../../kit/shape.ts'
import { RefusingBudget } from '../../prompts/budget-list.shape.ts'
import { costKind } from '../../prompts/prompt-result.shape.ts'
import { BoundarySeen } from './boundary-summary.shape.ts'
import * as following from './follow-event.shape.ts'
import { actEvents } from './follow-event.shape.ts'
import { Options } from './recorded-options.shape.ts'
import { FLAGS } from './review-flags.ts'
import { SPENT_PAUSES, Spent } from './spent.shape.ts'
import { checkedCommit, ended, TestResults } from './test-results.shape.ts'

const { event } = following
const [text, count] = [Type.String(), Type.Integer({ minimum: 0 })]
const optional = Type.Optional

/** The files that differ from the last commit at one moment: each path with a digest of what is there. */
export const Tree = named(
  'driveTree',
  strict(
    {
      head: text,
      snapshot: meaning('Digest of the whole observation.', Digest),
      is_complete: Type.Boolean({ description: 'Whether every file was read and every path is listed.' }),
      is_cut: optional(Type.Boolean({ description: 'Whether there was no room for all paths.' })),
      left_out: optional(meaning('Number of files that a sparse checkout leaves out.', count)),
      paths: Type.Record(Type.String(), Type.String(), { description: 'A mark for each path that changes with it.' }),
      configuration: optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'The same for settings and instructions of agents that git does not show.',
        }),
      ),
      configuration_is_cut: optional(Type.Boolean({ description: 'Whether there may be more of those.' })),
    },
    { title: 'Tree' },
  ),
)
export type Tree = Message<typeof Tree>

/** What the agent was seen to do: the tool calls that matter for its claims, in the order of the events. */
export const TraceEntry = named(
  'driveTraceEntry',
  tagged('did', [
    strict({
      did: Type.Literal('command'),
      seq: count,
      command: text,
      /** Absent if the agent does not show it. */
      exit_code: optional(Type.Integer()),
    }),
    strict({ did: Type.Literal('edit'), seq: count, paths: Type.Array(text) }),
  ]),
)
export type TraceEntry = Message<typeof TraceEntry>

/** Where the agents work. */
const Place = tagged('kind', [
  strict({ kind: Type.Literal('in_place'), root: text, folder: optional(text) }),
  strict({
    kind: Type.Literal('worktree'),
    root: text,
    branch: text,
    /** The commit that the branch starts from. */
    base: text,
    /** The branch that was checked out there when the run was started. Absent: none, or the record is older. */
    base_branch: optional(text),
    /** The worktree in which the command was given. */
    repository: text,
    /** The folder below the root in which the command was given: agents and checks work there. */
    folder: optional(text),
    /** The first of ten ports that nothing else in this directory of worktrees uses. */
    port: optional(count),
  }),
])
export type Place = Message<typeof Place>
export type WorktreePlace = Extract<Place, { kind: 'worktree' }>

/** An ordinary issue whose title and body are the goal. */
const Issue = strict({ url: text, sha256: meaning('Digest of title and body.', Digest) })

export const PURPOSES = [
  'action',
  'outcome_problem',
  'failed_check',
  'contradiction',
  'stalled',
  'after_failure',
  'after_unknown_end',
  'after_limit',
  'hand_over',
] as const
export type Purpose = (typeof PURPOSES)[number]

export const ENDS = ['answered', 'failed', 'cancelled', 'stalled', 'budget', 'unknown'] as const
export type AttemptEnd = (typeof ENDS)[number]

export const CLAIM_VERDICTS = ['observed', 'claimed', 'contradicted'] as const

export const Claim = named(
  'driveClaim',
  strict({
    about: literals(['file', 'activity']),
    subject: text,
    /** What the outcome says; only an activity has an exit code. */
    exit_code: optional(Type.Integer()),
    verdict: literals(CLAIM_VERDICTS),
    note: text,
    /** The number of the event that shows it. */
    seq: optional(count),
    execution_id: optional(text),
  }),
)
export type Claim = Message<typeof Claim>

export const ReviewFlag = named(
  'driveFlag',
  strict({
    flag: literals(FLAGS),
    detail: text,
    /** Where it was seen. Older records have it in the detail only. */
    path: optional(text),
    line: optional(Type.Integer({ minimum: 1 })),
  }),
)
export type ReviewFlag = Message<typeof ReviewFlag>

/** Why a change of the repository is only worth a note. */
const CHANGE_NOTES = ['no_tool_call', 'own_log', 'fetched', 'sandboxed'] as const

const RepositoryChange = strict({
  what: literals(['ref', 'head', 'config', 'hook', 'git_file', 'user_config', 'file']),
  name: text,
  before: optional(text),
  after: optional(text),
  keys: optional(Type.Array(text)),
  /** Nothing ties it to the agent. Absent in older records, and if it is serious in any case. */
  note: optional(literals(CHANGE_NOTES)),
})
export type JudgedChange = Message<typeof RepositoryChange>

export const PAUSES = [
  ...SPENT_PAUSES,
  'agent_failed',
  'cancelled',
  'killed',
  'review_changed_files',
  'setup_failed',
  'baseline_failed',
  'stopped',
  'tampered',
  'serious_flags',
  'agent_limited',
  ...following.FOLLOW_PAUSES,
] as const
export type DrivePause = (typeof PAUSES)[number]

export const DriveEvent = named(
  'driveEvent',
  tagged('type', [
    event('drive_started', 'A round of the run is set up, with its goal, its place and its options.', {
      run_id: text,
      goal: text,
      /** Counts from 1; a later round works on what the one before left open. */
      round: Type.Integer({ minimum: 1 }),
      previous_run_id: optional(text),
      place: Place,
      issue: optional(Issue),
      /** It waits in the queue until a driver resumes it. */
      is_queued: optional(Type.Literal(true)),
      /** The run whose branch it starts on. */
      after: optional(text),
      /** What earlier rounds have used. */
      spent: Spent,
      options: Options,
      /** False if the work is not reviewed. Older records do not tell. */
      is_reviewed: optional(Type.Boolean()),
      ...following.FOLLOWING_ROUND,
    }),
    event(
      'drive_resumed',
      'A driver continues the run. `chooses_limit`: the person who continues it says what happens at limits, also at the one that it waits for.',
      { options: Options, chooses_limit: optional(Type.Literal(true)) },
    ),
    event('started_on', 'The worktree was put on the branch of the run before.', { run_id: text, commit: text }),
    event('moved', 'Another machine continues the run, because there was no worker on its own any more.', {
      from: text,
      to: text,
    }),
    event('boundary_set', 'What the latest driver runs agents, checks and setups in.', {
      is: literals(['inside', 'outside']),
      /** Those that are inside. Older records have none. */
      agents: optional(Type.Array(text)),
      /** Why there is no boundary, or why not for all agents. */
      why: optional(text),
    }),
    event(
      'boundary_seen',
      'What was reached and refused in the sandbox since the last record of it.',
      BoundarySeen.properties,
    ),
    event('preparing', 'A step of the preparation of the worktree begins.', {
      step: literals(['copy', 'share', 'template', 'setup']),
      command: optional(text),
    }),
    event('setup_failed', 'The preparation failed. Without a command: files could not be copied into the worktree.', {
      command: optional(text),
      ...ended,
    }),
    event('prepared', 'The worktree is prepared.', {
      from: literals(['setup', 'template', 'share', 'nothing']),
      copied: Type.Array(text),
      notes: Type.Array(text),
      duration_ms: count,
    }),
    event('baseline_ran', 'A check ran before the first attempt. Files that it changed were put back.', {
      command: text,
      passed: Type.Boolean(),
      could_start: Type.Boolean(),
      ...ended,
      put_back: optional(Type.Array(text)),
      /** Absent in older records, and if it is no known test runner. */
      tests: optional(TestResults),
    }),
    event('baseline_decided', 'Checks fail before the work, and it was decided whether the work begins.', {
      by: literals(['person', 'drover']),
      is_accepted: Type.Boolean(),
    }),
    event('attempt_started', 'An agent gets a prompt.', {
      attempt: Type.Integer({ minimum: 1 }),
      action_id: text,
      action_kind: literals(['orient', 'clarify', 'implement', 'review', 'summarize']),
      /** Counts the actions of the run from 1. */
      action_number: Type.Integer({ minimum: 1 }),
      /** How many actions may follow this one. */
      actions_left: count,
      purpose: literals(PURPOSES),
      backend: text,
      model: optional(text),
      execution_id: text,
      /** In a boundary. */
      is_inside: optional(Type.Literal(true)),
      /** The session that is resumed. */
      resumes: optional(text),
      /** What may still be used. */
      reserved: strict({
        tokens: optional(count),
        cost_microusd: optional(count),
        time_ms: optional(count),
      }),
      /** The settings of the project that the agent uses. Absent: none. */
      project_settings: optional(Digest),
      /** The programs that the repository tells git to run, when the run began. Absent: none. */
      git_settings: optional(Digest),
      /** The state of the repository, which is saved beside the records. Older records have none. */
      repository: optional(Digest),
      prompt_sha256: Digest,
      tree: Tree,
    }),
    event('limit_decided', 'What happens at limits of agents in this run.', {
      by: literals(['person', 'drover']),
      choice: literals(['wait', 'next', 'pause']),
    }),
    event('waiting_for_limit', 'No agent gets a request until then. `is_guess`: the reset is not known.', {
      backend: text,
      code: text,
      until: UtcTimestamp,
      is_guess: optional(Type.Literal(true)),
      budget: optional(RefusingBudget),
    }),
    event('limit_passed', 'The agent is tried again.', { backend: text }),
    event('handed_over', 'Another agent does the work from now on, because an attempt reached a limit.', {
      attempt: count,
      to: text,
      code: text,
    }),
    event('session_opened', 'The agent of an attempt has a session.', { attempt: count, session_id: text }),
    event('approval_decided', 'Someone has decided about what the agent asked for.', {
      attempt: count,
      ...DecidedApproval.properties,
    }),
    event(
      'user_message',
      'Someone has told the agent something while it worked. A message that waited for its next turn is recorded twice.',
      { attempt: count, ...SteeredMessage.properties },
    ),
    event(
      'agent_retries',
      'The agent sends its request to its provider again: the first, second, fourth time and so on in a row.',
      { attempt: count, count, since: UtcTimestamp, message: text },
    ),
    event('agent_answered', 'The provider has answered.', { attempt: count }),
    event('attempt_ended', 'The agent has ended, or was stopped. Costs are in millionths of a dollar.', {
      attempt: count,
      how: literals(ENDS),
      session_id: optional(text),
      /** As the agent names it. Absent: it does not, or the record is older. */
      model: optional(text),
      usage: optional(Usage),
      cost_microusd: optional(count),
      cost_kind: costKind,
      duration_ms: count,
      tree: optional(Tree),
      /** The text of the outcome block. */
      outcome: optional(text),
      /** Why there is no valid outcome. */
      problem: optional(text),
      /** The end of the answer, if it has no valid outcome. */
      said: optional(text),
      error: optional(text),
      /** Of an agent that has failed. */
      error_code: optional(text),
      /** How long its provider wants it to wait. */
      retry_after_ms: optional(count),
      /** It has refused the attempt, or has stopped it. */
      budget: optional(RefusingBudget),
      trace: Type.Array(TraceEntry),
      warnings: Type.Array(text),
    }),
    event(
      'repository_changed',
      'The repository, outside of the branch of the run, is not what it was before the attempt.',
      {
        attempt: count,
        state: meaning('Digest of the saved state before the attempt.', Digest),
        changes: Type.Array(RepositoryChange),
        count: meaning('The number of changes, with those that are not listed.', count),
      },
    ),
    event('repository_restored', 'Such changes are undone.', {
      restored: Type.Array(strict({ attempt: count, name: text })),
    }),
    event('check_ran', 'A check ran after an attempt.', {
      attempt: count,
      command: text,
      passed: Type.Boolean(),
      ...ended,
      /** Files that it created, or the agent by running it: they were removed. */
      put_back: optional(Type.Array(text)),
      /** The tree that a commit of everything would have had. Older records do not tell. */
      tree_id_before: optional(text),
      tree_id: optional(text),
      tests: optional(TestResults),
    }),
    event('evidence', 'What drover observed of the claims of an attempt, and what a person should look at.', {
      attempt: count,
      claims: Type.Array(Claim),
      flags: Type.Array(ReviewFlag),
    }),
    event('outcome_rejected', 'The run does not accept an outcome that is valid by itself.', {
      attempt: count,
      problem: text,
    }),
    event(
      'outcome_submitted',
      'The run has the outcome of an action. `by`: `drover` wrote it if the agent gave none.',
      {
        action_id: text,
        attempt: optional(count),
        payload_sha256: Digest,
        status: text,
        /** Who wrote it: `drover` if the agent gave none. */
        by: literals(['agent', 'drover']),
      },
    ),
    event('paused', 'The run is paused until a person continues it.', { reason: literals(PAUSES), message: text }),
    event('interrupted', 'The driver was told to end, and has ended.', {}),
    event('drive_failed', 'The driver could not continue, or could not deliver.', { code: text, message: text }),
    event('round_started', 'The run continues as another one, which works on what is open.', {
      next_run_id: text,
      requirements: optional(Type.Array(following.Requirement)),
      /** What it works on, one line each. Absent in older records. */
      open: optional(Type.Array(text)),
    }),
    event(
      'delivery_checked',
      'The checks ran in a clean checkout of the commit, before it counts as delivered.',
      checkedCommit,
    ),
    event('delivered', 'Where the work is. It is delivered, or `note` says why not.', {
      as: literals(['none', 'branch', 'pr']),
      branch: optional(text),
      commit: optional(text),
      /** The tree of the commit, or of the worktree if there is none. */
      tree_id: optional(text),
      pull_request: optional(text),
      note: optional(text),
    }),
    ...following.FOLLOW_EVENTS,
    ...actEvents(checkedCommit),
  ]),
)
export type DriveEvent = Message<typeof DriveEvent>

export type EventOf<T extends DriveEvent['type']> = Extract<DriveEvent, { type: T }>
