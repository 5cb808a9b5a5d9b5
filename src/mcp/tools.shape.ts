/** The tools of the MCP endpoint: what they take and return. `npm run generate` writes their list and their validators. */
import { type TSchema, Type } from 'typebox'
import { Answers, ApprovalChoice } from '../agents/adapter/agent.shape.ts'
import { EXECUTION_KINDS, EXECUTION_STATES } from '../executions/store/execution-states.ts'
import type { JsonObject } from '../kit/json-value.ts'
import { literals, request, type Static } from '../kit/shape.ts'
import { BudgetList } from '../prompts/budget-list.shape.ts'
import { MessageSent } from '../prompts/message-sent.shape.ts'
import { CompareRequest, KeepRequest, PromptBody, ResumeRequest } from '../prompts/prompt-request.shape.ts'
import { AnswerBody, FollowUpBody, MergeBody, MoveBody, StartBody } from '../service/run-requests.shape.ts'

/** An hour: no client waits longer for one call. */
const MAX_WAIT_SECS = 3600

const optional = Type.Optional

const wait = (description: string) =>
  optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECS, description: `${description} 0: do not wait.` }))

const waitForEnd = wait(
  'Seconds to wait for the result before the tool returns a handle. Choose less than the time limit of your client. The default is `server.mcp_wait_secs`.',
)

const executionId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The `execution_id` that a tool has returned.',
})

const runId = Type.String({ minLength: 1, maxLength: 128, description: 'The `id` of the run.' })

/** Without what only HTTP has, and what has no effect. */
const { detach: _, output_format: _format, max_tokens: _tokens, verbose: _verbose, ...ofPrompt } = PromptBody.properties
const {
  detach: _detach,
  output_format: _formatOfTurn,
  max_tokens: _tokensOfTurn,
  verbose: _verboseTurn,
  ...ofTurn
} = ResumeRequest.properties

const PromptTool = request({
  ...ofPrompt,
  backend: optional(
    Type.String({
      minLength: 1,
      description:
        'The agent: `claude`, `codex`, `gemini` or another configured backend. The default is `default_backend`.',
    }),
  ),
  wait_secs: waitForEnd,
})

const CompareTool = request({ ...CompareRequest.properties, wait_secs: waitForEnd })

const CompareKeepTool = request(KeepRequest.properties)

const ResumeTool = request({
  session_id: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The session to resume: the `session_id` of an earlier answer.',
  }),
  ...ofTurn,
  wait_secs: waitForEnd,
})

const ExecutionGetTool = request({
  execution_id: executionId,
  wait_secs: waitForEnd,
  events_after: optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Return the stored events after this number as well, at most 200. 0: from the first one.',
    }),
  ),
})

const ExecutionCancelTool = request({ execution_id: executionId })

const ExecutionMessageTool = request({
  execution_id: executionId,
  text: Type.String({ minLength: 1, description: 'What the agent is told.' }),
})

const ExecutionAnswerTool = request({
  execution_id: executionId,
  approval_id: Type.String({ description: 'The `approval_id` of the questions, from `execution_get`.' }),
  answers: optional(Answers),
})

const RunStartTool = request(StartBody.properties)

const RunStatusTool = request({
  run_id: runId,
  wait_secs: wait('Seconds to wait until the run needs a person or has ended. The default is 0.'),
})

const RunAnswerTool = request({ run_id: runId, ...AnswerBody.properties })
const RunFollowUpTool = request({ run_id: runId, ...FollowUpBody.properties })
const RunMergeTool = request({ run_id: runId, ...MergeBody.properties })
const RunMoveTool = request({ run_id: runId, ...MoveBody.properties })
const RunActTool = request({ run_id: runId })

const text = (description: string) => optional(Type.String({ description }))

const error = optional(
  Type.Object(
    {
      code: Type.String({ description: 'The code of the error.' }),
      message: Type.String({ description: 'What is wrong and what to do.' }),
      retryable: optional(
        Type.Boolean({ description: 'Whether the same call may succeed if it is repeated unchanged.' }),
      ),
      details: optional(Type.Unsafe<JsonObject>({ type: 'object', description: 'What the message is about.' })),
    },
    { description: 'Why it failed.' },
  ),
)

const objects = (description: string) =>
  optional(Type.Array(Type.Unsafe<JsonObject>({ type: 'object' }), { description }))

const KEPT = {
  kept: optional(Type.Unsafe<JsonObject>({ type: 'object', description: 'The work that was kept as a branch.' })),
  dropped: objects('The work that was dropped, with the commit that brings it back.'),
  left: objects('Worktrees that could not be removed.'),
}

/** Nothing is required: a failed call has only an error. */
export const ExecutionView = Type.Object({
  execution_id: text('The handle: `execution_get` and `execution_cancel` take it.'),
  state: optional(literals(EXECUTION_STATES, { description: 'Its state. `queued` and `running`: it has not ended.' })),
  kind: optional(literals(EXECUTION_KINDS, { description: 'What it runs.' })),
  has_ended: optional(Type.Boolean({ description: 'Whether `output` is the whole answer.' })),
  session_id: text('The session, for `session_resume`.'),
  backend: text('The agent.'),
  model: text('The model that the agent reported.'),
  output: text('The answer; while it runs, the end of the answer so far.'),
  results: objects('The result of each agent, of a comparison.'),
  ...KEPT,
  warnings: optional(Type.Array(Type.String(), { description: 'Warnings, such as denied tool calls.' })),
  waits_for: objects('What the agent asks its user, with `approval_id` and `questions`, for `execution_answer`.'),
  events: objects('The events after `events_after`, if it was given.'),
  last_seq: optional(Type.Integer({ minimum: 0, description: 'The number of the last event.' })),
  next: text('What to do next.'),
  error,
})
export type ExecutionView = Static<typeof ExecutionView>

const KeepView = Type.Object({
  comparison: text('The execution of the comparison.'),
  prompt_start: text('The beginning of its prompt.'),
  ...KEPT,
  error,
})

const MessageView = Type.Object({
  execution_id: text('The execution.'),
  message_id: text('The id of the message.'),
  delivered: optional(MessageSent.properties.delivered),
  error,
})

export const RunView = Type.Object({
  run: optional(
    Type.Unsafe<JsonObject>({ type: 'object', description: 'The run, as `GET /api/v1/runs/{id}` returns it.' }),
  ),
  next: text('What to do next.'),
  error,
})
export type RunView = Static<typeof RunView>

const AnswerView = Type.Object({
  execution_id: text('The execution.'),
  approval_id: text('The questions.'),
  decision: optional(ApprovalChoice),
  error,
})

const BudgetView = Type.Object({ budgets: optional(BudgetList.properties.budgets), error })

type ToolShape = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: TSchema
  readonly output: TSchema
  readonly hints: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint: boolean }
}

/** It runs an agent, which may change files and use the network. */
const RUNS_AGENT = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
const READS = { readOnlyHint: true, openWorldHint: false }

const HANDLE =
  'If it does not end within wait_secs, the answer is a handle (execution_id) and the work continues: call execution_get with it.'

export const TOOL_SHAPES = [
  {
    name: 'prompt',
    title: 'Run a prompt on a coding agent',
    description: `Sends a prompt to a command-line coding agent (Claude Code, Codex, Gemini CLI …), which works in a directory of this machine, and returns its answer. ${HANDLE}`,
    input: PromptTool,
    output: ExecutionView,
    hints: RUNS_AGENT,
  },
  {
    name: 'compare',
    title: 'Run a prompt on several coding agents',
    description: `Sends the same prompt to several coding agents and returns all answers. No sessions are stored. With worktrees, each agent edits files in its own git worktree, checks are run there, and compare_keep keeps the best. ${HANDLE}`,
    input: CompareTool,
    output: ExecutionView,
    hints: RUNS_AGENT,
  },
  {
    name: 'compare_keep',
    title: 'Keep the work of one agent of a comparison',
    description:
      'Commits the work of one agent of a comparison with worktrees, by default your last one, on a branch of the repository, and drops the others. Without a name all of it is dropped. The commits of dropped work are returned.',
    input: CompareKeepTool,
    output: KeepView,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  {
    name: 'session_resume',
    title: 'Resume a session',
    description: `Sends the next prompt of a stored session to its agent, which knows the conversation. ${HANDLE}`,
    input: ResumeTool,
    output: ExecutionView,
    hints: RUNS_AGENT,
  },
  {
    name: 'execution_get',
    title: 'Get the answer of an execution',
    description:
      'Returns the state and the answer of work that another tool started. If it is still running, waits, then returns the answer so far.',
    input: ExecutionGetTool,
    output: ExecutionView,
    hints: READS,
  },
  {
    name: 'execution_cancel',
    title: 'Cancel an execution',
    description: 'Stops the agent of an execution and all its processes. Files that it has changed stay changed.',
    input: ExecutionCancelTool,
    output: ExecutionView,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'execution_message',
    title: 'Tell a working agent something',
    description:
      'Gives the agent of a running execution a message, such as a correction, without ending its turn. The answer says whether the agent gets it now or with the next prompt of its session.',
    input: ExecutionMessageTool,
    output: MessageView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'execution_answer',
    title: 'Answer questions of an agent',
    description:
      'Answers what the agent of an execution asks its user (`waits_for` of execution_get). Ask your user, unless you know the answers. Without answers, the agent is told that there are none, and continues. It decides nothing else: a person allows what an agent wants to do.',
    input: ExecutionAnswerTool,
    output: AnswerView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'run_start',
    title: 'Start a change run',
    description:
      'Lets agents carry out a goal in a new worktree of a git repository: they read the code, implement, and review; checks must pass. Give exactly one of goal, issue and issue_number. Returns immediately: call run_status with the id of the run.',
    input: RunStartTool,
    output: RunView,
    hints: RUNS_AGENT,
  },
  {
    name: 'run_status',
    title: 'Get a change run',
    description: 'Returns the state of a run, what it waits for, its attempts and its report.',
    input: RunStatusTool,
    output: RunView,
    hints: READS,
  },
  {
    name: 'run_answer',
    title: 'Answer the question of a change run',
    description:
      'Answers the question that a run waits for, and lets it continue. It cannot confirm a destructive request: a person does that with `drover answer` or in the console; an answer declines it.',
    input: RunAnswerTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'run_follow_up',
    title: 'Ask a delivered change run for more',
    description:
      'Lets agents do more on the branch of a run whose work is delivered, and updates its pull request if it has one. Returns immediately: call run_status with the id of the run.',
    input: RunFollowUpTool,
    output: RunView,
    hints: RUNS_AGENT,
  },
  {
    name: 'run_move',
    title: 'Move a queued change run',
    description: 'Puts a queued run before another queued run, or behind all others if `before` is absent.',
    input: RunMoveTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'run_merge',
    title: 'Merge a delivered change run',
    description:
      'Merges the work of a delivered run into the branch it was started on. If that has moved, the checks run on the merge commit first. Refused, without any change, if the checkout has uncommitted changes, if there are conflicts, or if a check fails. Ask the user first.',
    input: RunMergeTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'run_pull_request',
    title: 'Open a pull request for a delivered change run',
    description: 'Pushes the branch of a delivered run and opens a draft pull request, unless it has one.',
    input: RunActTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  },
  {
    name: 'run_take',
    title: 'Check the branch of a delivered change run out',
    description:
      "Switches the user's checkout of the repository to the branch of a delivered run. Refused if it has uncommitted changes.",
    input: RunActTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'run_discard',
    title: 'Discard a change run',
    description:
      'Removes the worktree and the branch of a run. The work is kept for 7 days; a person brings it back with `drover discard RUN --undo`. Ask the user first.',
    input: RunActTool,
    output: RunView,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: 'budget_list',
    title: 'List budgets',
    description:
      'Returns what was used of each budget that limits you, how much is reserved by what runs now, and when it resets. Work is refused if one of them has nothing left.',
    input: request({}),
    output: BudgetView,
    hints: READS,
  },
] as const satisfies readonly ToolShape[]

/** What each tool takes, after it is checked. */
export type ToolInput = {
  [Tool in (typeof TOOL_SHAPES)[number] as Tool['name']]: Static<Tool['input']>
}
export type ToolName = keyof ToolInput
