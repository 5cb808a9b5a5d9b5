/** The results of prompts; the same for the command line and HTTP. */
import { type TProperties, Type } from 'typebox'
import { DecidedApproval, Usage } from '../agents/adapter/agent.shape.ts'
import {
  literals,
  type Message,
  named,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalList,
  optionalText,
} from '../kit/shape.ts'
import { RefusingBudget } from './budget-list.shape.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const totalDuration = count('From the start of the first prompt to the end of the last, including waiting time.')

/** How the cost of something is known. */
export const costKind = optionalChoice(
  '`reported`: the cost is what the agent said. `priced`: it is the tokens at list prices. `plan`: a subscription pays, so there is none. Absent: the cost is not known.',
  ['reported', 'priced', 'plan'],
)

const executionId = optionalText('The execution; the same as in the header X-Execution-Id.')

export const ApprovalRecord = named(
  'ApprovalRecord',
  Type.Object({
    at: Type.String({ format: 'date-time', description: 'When it was decided, in UTC.' }),
    ...DecidedApproval.properties,
  }),
  'Who decided what about something that an agent asked for.',
)
export type ApprovalRecord = Message<typeof ApprovalRecord>

export const BoundaryReport = named(
  'BoundaryReport',
  Type.Object({
    enforced_by: Type.Literal('bubblewrap', { description: 'The program that enforces it.' }),
    reached: Type.Array(
      Type.Object({
        host: Type.String({ description: 'The host and its port.' }),
        count: count('How many connections were made.'),
      }),
      { description: 'The hosts that were reached.' },
    ),
    refused: Type.Array(
      Type.Object({
        host: Type.String({ description: 'The host and its port.' }),
        reason: literals(['not listed', 'port not listed', 'private address'], { description: 'Why.' }),
        count: count('How many connections were refused.'),
      }),
      { description: 'The hosts that were refused.' },
    ),
    unwritable: Type.Array(Type.String(), {
      description: 'Paths that could not be written, as commands printed it.',
    }),
    exceeded: Type.Array(Type.String(), {
      description: 'Limits that were exceeded, and commits that were not taken for that reason.',
    }),
  }),
  'What an agent, or the setup and the checks of a worktree, reached in a sandbox, and what they were refused. Absent: there was no sandbox.',
)
export type BoundaryReport = Message<typeof BoundaryReport>

const RESULT = {
  session_id: Type.String({ description: "drover's own id; empty when no session was stored." }),
  execution_id: executionId,
  backend: Type.String({
    description: 'As in the request. In a parallel call it may be a backend that does not exist.',
  }),
  model: optionalText('The model that the agent reports.'),
  exit_code: Type.Integer({
    description:
      '0 success, 124 timeout, 130 interrupted, -1 canceled before the start; otherwise the exit code of the agent.',
  }),
  duration_ms: count(
    'How long the agent ran, with the time in which it waited for results of functions of the client.',
  ),
  output: Type.String({ description: 'The answer; for a dry run the command that would be started.' }),
  token_usage: Usage,
  cost_usd: Type.Optional(
    Type.Number({ minimum: 0, description: 'What the turn cost in US dollars, if that is known.' }),
  ),
  cost_kind: costKind,
  backend_session_id: optionalText("The agent's own id of the session."),
  error: optionalText('Only on failure: the message.'),
  error_code: optionalText('Only on failure: the code.'),
  retryable: optionalFlag('Only on failure: whether the same prompt may succeed if it is sent again unchanged.'),
  upstream_status: optionalInteger('Only on failure: the HTTP status of the model service, if the agent reports it.'),
  retry_after_secs: Type.Optional(
    count('Only on failure: how long to wait before the next attempt, if the agent reports it or the server stops.'),
  ),
  budget: Type.Optional(RefusingBudget),
  fallback_from: optionalList(
    'Only after a fallback: the agents that got the prompt first, and why they gave no answer.',
    Type.Object({
      backend: Type.String({ description: 'The agent.' }),
      error_code: Type.String({ description: 'The code of its failure.' }),
      error: Type.String({ description: 'Its failure.' }),
    }),
  ),
  approvals: optionalList('Who decided about what the agent asked for, oldest first.', ApprovalRecord),
  boundary: Type.Optional(BoundaryReport),
  warnings: optionalList('Parts of the request that could not be fulfilled.', Type.String()),
} satisfies TProperties

export const PromptResult = named('PromptResult', Type.Object(RESULT), 'The result of a prompt.')
export type PromptResult = Message<typeof PromptResult>

export const ParallelResult = named(
  'ParallelResult',
  Type.Object({
    execution_id: executionId,
    total_tasks: count('The number of items in the request.'),
    completed: count('How many succeeded.'),
    failed: count('How many failed.'),
    canceled: count('How many were canceled, before or while they ran.'),
    total_duration_ms: totalDuration,
    results: Type.Array(PromptResult, { description: 'In the order of the tasks.' }),
  }),
  'The results of several prompts.',
)
export type ParallelResult = Message<typeof ParallelResult>

export const StepResult = named(
  'StepResult',
  Type.Object({
    step: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
    name: optionalText('As in the request.'),
    ...RESULT,
  }),
  'The result of a step of a chain.',
)
export type StepResult = Message<typeof StepResult>

export const ChainResult = named(
  'ChainResult',
  Type.Object({
    execution_id: executionId,
    total_steps: count('The number of items in the request.'),
    completed_steps: count('How many succeeded.'),
    failed_step: optionalInteger('The first that failed, counted from 1.', { minimum: 1 }),
    total_duration_ms: totalDuration,
    results: Type.Array(StepResult, { description: 'The results of the steps that were started.' }),
  }),
  'The results of a chain.',
)
export type ChainResult = Message<typeof ChainResult>

const lines = (description: string) => Type.Union([count(description), Type.Null({ description: 'A binary file.' })])

export const ComparedWorktree = named(
  'ComparedWorktree',
  Type.Object({
    name: Type.String({ description: 'The agent, with a number if it takes part twice.' }),
    path: optionalText('The worktree. Without changes it is removed.'),
    branch: optionalText('Its branch.'),
    repository: Type.String({ description: 'The repository.' }),
    base: Type.String({ description: 'The commit that it began with.' }),
    files: count('The number of changed files.'),
    insertions: count('Added lines.'),
    deletions: count('Removed lines.'),
    changes: Type.Array(
      Type.Object({
        path: Type.String({ description: 'The path.' }),
        from: optionalText('The path that it was renamed from.'),
        insertions: lines('Added lines.'),
        deletions: lines('Removed lines.'),
      }),
      { description: 'The changed files.' },
    ),
    checks: Type.Array(
      Type.Object({
        command: Type.String({ description: 'As in the request.' }),
        passed: Type.Boolean({ description: 'Whether it exited with 0.' }),
        exit_code: Type.Union([Type.Integer(), Type.Null()], { description: 'Null if it did not exit by itself.' }),
        problem: optionalText('Why there is no exit code.'),
        unfinished: Type.Optional(
          literals(['canceled', 'not_run'], {
            description: 'Of a canceled comparison: the check was ended, or never began. Absent if it ran to its end.',
          }),
        ),
        duration_ms: count('How long it ran.'),
        output: Type.String({ description: 'The last 256 KiB of what it printed.' }),
        output_truncated: Type.Boolean({ description: 'Whether it printed more.' }),
      }),
      { description: 'The results of the checks, in their order.' },
    ),
    boundary: Type.Optional(BoundaryReport),
  }),
  'What an agent changed in its worktree, and what the checks say about it.',
)
export type ComparedWorktree = Message<typeof ComparedWorktree>

const KEPT = {
  kept: Type.Optional(
    Type.Object(
      {
        name: Type.String({ description: 'The agent.' }),
        branch: Type.String({ description: 'The branch with its work.' }),
        commit: Type.String({ description: 'The last commit of the branch.' }),
      },
      { description: 'The work that was kept.' },
    ),
  ),
  dropped: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The agent.' }),
      commit: optionalText('Its work, if it changed something. Git keeps the commit for some weeks.'),
    }),
    { description: 'The work that was dropped.' },
  ),
  left: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The agent.' }),
      path: Type.String({ description: 'Its worktree.' }),
      reason: Type.String({ description: 'Why it could not be removed.' }),
    }),
    { description: 'Worktrees that could not be removed.' },
  ),
} satisfies TProperties

export const KeepResult = named(
  'KeepResult',
  Type.Object({
    comparison: optionalText('The execution of the comparison.'),
    prompt_start: optionalText('The beginning of its prompt.'),
    repository: optionalText('The repository.'),
    ...KEPT,
  }),
  'What became of the worktrees of a comparison.',
)
export type KeepResult = Message<typeof KeepResult>

export const ComparedResult = named(
  'ComparedResult',
  Type.Object({
    ...RESULT,
    agent_version: optionalText('The version of the agent, if it tells. The demo agent has none.'),
    worktree: Type.Optional(ComparedWorktree),
  }),
  'The result of one agent of a comparison.',
)
export type ComparedResult = Message<typeof ComparedResult>

export const ComparisonResult = named(
  'ComparisonResult',
  Type.Object({
    execution_id: executionId,
    prompt: Type.String({ description: 'The prompt for all agents.' }),
    backends: Type.Array(Type.String(), { description: 'As in the request.' }),
    results: Type.Array(ComparedResult, { description: 'In the order of the backends.' }),
    total_duration_ms: totalDuration,
    canceled: optionalFlag('With worktrees: true if it was canceled. Then all work was dropped.'),
    kept: KEPT.kept,
    dropped: Type.Optional(KEPT.dropped),
    left: Type.Optional(KEPT.left),
    warnings: optionalList('What the agents did not see, and what failed in their worktrees.', Type.String()),
  }),
  'The answers of several agents to one prompt.',
)
export type ComparisonResult = Message<typeof ComparisonResult>
