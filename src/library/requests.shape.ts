/** What programs pass to the library. The requests are those of the HTTP API, without what only a connection needs. */
import { type Static, type TProperties, Type } from 'typebox'
import { ASKED_CHARACTERS, MOST_ASKED } from '../drive/decide/follow-record.ts'
import { EXECUTION_KINDS, EXECUTION_STATES } from '../executions/store/execution-states.ts'
import {
  literals,
  named,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalList,
  optionalText,
  strict,
} from '../kit/shape.ts'
import * as prompts from '../prompts/prompt-request.shape.ts'
import * as runs from '../service/run-requests.shape.ts'
import { SESSION_STATUSES } from '../sessions/session-statuses.ts'

const text = (description: string) => optionalText(description, { minLength: 1 })
const isOn = (description: string) => optionalFlag(description)

/** Without it, the settings decide. */
const backend = text('The name of the backend; the default is `default_backend` of the config.')

function without<P extends TProperties, const N extends keyof P>(properties: P, names: readonly N[]): Omit<P, N> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name as N))) as never
}

export const PromptRequest = named(
  'PromptRequest',
  strict({
    ...without(prompts.PromptBody.properties, ['backend', 'detach', 'output_format']),
    backend,
    session: text('The session to continue: its id, or a unique beginning of it.'),
    fork: isOn(
      'With `session`: start a new session with the settings of that one. On another `backend` it begins with the conversation, as far as it is kept.',
    ),
  }),
  'One prompt for one agent.',
)
export type PromptCall = Static<typeof PromptRequest>

const ParallelTask = named(
  'ParallelTask',
  strict({
    ...without(prompts.PromptBody.properties, [
      'backend',
      'detach',
      'output_format',
      'ephemeral',
      'metadata',
      'shared',
    ]),
    backend,
  }),
  'One prompt of several. It has no session.',
)

export const ParallelRequest = named(
  'ParallelRequest',
  strict({
    ...prompts.ParallelRequest.properties,
    tasks: Type.Array(ParallelTask, { minItems: 1, maxItems: prompts.MAX_TASKS, description: 'The prompts.' }),
  }),
  'Several prompts at once.',
)
export type ParallelCall = Static<typeof ParallelRequest>

const ChainStep = named(
  'ChainStep',
  strict({ ...without(prompts.ChainStep.properties, ['backend']), backend }),
  'One prompt of a chain. It has no session.',
)

export const ChainRequest = named(
  'ChainRequest',
  strict({
    ...without(prompts.ChainRequest.properties, ['pass_session_id', 'persist_sessions']),
    steps: Type.Array(ChainStep, { minItems: 1, maxItems: prompts.MAX_TASKS, description: 'The steps, in order.' }),
  }),
  'Prompts one after another, which may contain earlier answers.',
)
export type ChainCall = Static<typeof ChainRequest>

const MAX_PAGE = 1000

export const SessionQuery = named(
  'SessionQuery',
  strict({
    backend: text('Only sessions of this backend.'),
    status: optionalChoice('Only sessions with this status.', SESSION_STATUSES),
    tag: text('Only sessions with this tag.'),
    model: text('Only sessions of this model.'),
    workdir: text('Only sessions of exactly this directory.'),
    search: text('A part of the title or of the first prompt, or the beginning of the id.'),
    since: optionalText('Last used at this moment or later: RFC 3339, UTC.', { format: 'date-time' }),
    until: optionalText('Last used before this moment: RFC 3339, UTC.', { format: 'date-time' }),
    resumable: isOn('Only sessions that an agent can continue.'),
    limit: optionalInteger('The size of a page; 100 by default.', { minimum: 1, maximum: MAX_PAGE }),
    offset: optionalInteger('The number of sessions before the page.', { minimum: 0 }),
  }),
  'Which sessions are listed.',
)
export type SessionSearch = Static<typeof SessionQuery>

export const SessionChange = named(
  'SessionChange',
  strict({
    title: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'A title for people; null removes it.' }),
    ),
    tags: optionalList('Replaces all tags.', Type.String()),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Entries replace those of the same name.',
      }),
    ),
    shared: isOn('Whether every API key of a server sees the session and may resume it.'),
  }),
  'What changes about a session.',
)

const count = (description: string) => optionalInteger(description, { minimum: 0, maximum: 1_000_000_000 })

export const DriveRequest = named(
  'DriveRequest',
  strict({
    goal: text('What the agents should do.'),
    issue: text('The address of a GitHub issue, or `#12` for one of the repository, that says what they should do.'),
    issue_as_goal: isOn('Use the text of an issue that has no sections for drover as the goal.'),
    run: text('The id of a run to continue.'),
    answer: text('With `run`: the answer to the question that it is waiting for.'),
    also: optionalList(
      'With `run`: what the delivered run has to do in addition, on the same branch.',
      Type.String({ minLength: 1, maxLength: ASKED_CHARACTERS }),
      { maxItems: MOST_ASKED },
    ),
    take_over: isOn('With `run`: continue on top of what another person pushed to its branch.'),
    follow: isOn('Open a draft pull request and watch it until it is merged or closed.'),
    directory: text('A directory of the repository: an absolute path. The default is the directory of the program.'),
    in_place: isOn('Work in the worktree itself; by default in a new one, on a new branch.'),
    backend: text('The agent that does the work.'),
    model: text('Its model.'),
    review: isOn('Whether another agent reviews the work; true by default.'),
    review_backend: text('The agent that reviews.'),
    review_model: text('Its model.'),
    checks: optionalList('Commands that must pass.', Type.String({ minLength: 1 })),
    approval_mode: optionalChoice(
      'What the agent may do without approval while it implements a change: edit files (`auto`), everything (`none`) or nothing (`always`).',
      ['default', 'auto', 'sandboxed', 'none', 'always'],
    ),
    actions: optionalInteger('How many actions may be taken; for a run, how many more.', { minimum: 1, maximum: 1000 }),
    rounds: count('Further runs for what is still open.'),
    max_tokens: count('The run pauses once this many tokens have been used.'),
    max_cost_usd: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'The run pauses once it has cost this many US dollars.' }),
    ),
    max_time_secs: count('The run pauses after this many seconds of work.'),
    on_limit: optionalChoice(
      'If an agent reaches a limit of its provider: wait until it is reset, continue with the next agent of `fallback`, or pause. `ask` waits.',
      ['ask', 'wait', 'next', 'pause'],
    ),
    max_wait_secs: count('The run waits for a limit at most this many seconds.'),
    mcp_servers: optionalList('The MCP servers of the config that the agents get. The default is all.', Type.String()),
    fallback: optionalList(
      'Agents that continue the work, in this order, if the one before has reached a limit.',
      Type.String({ minLength: 1 }),
    ),
    deliver: optionalChoice('What becomes of the work: the default is in the config.', ['none', 'branch', 'pr']),
  }),
  'What agents should do, and how. Exactly one of `goal`, `issue` and `run` is given.',
)
export type DriveRequest = Static<typeof DriveRequest>

export const ActRequest = named(
  'ActRequest',
  strict({
    run: Type.String({ minLength: 1, description: 'The id of the run, or a unique beginning of it.' }),
    do: literals(['merge', 'pull_request', 'take', 'discard', 'undo_discard'], { description: 'What is done.' }),
    into: text('With `merge`: the branch; the default is the one that was checked out when the run was started.'),
    here: isOn('With `merge`: merge although the run has a pull request.'),
    directory: text('A directory of the repository: an absolute path. The default is the directory of the program.'),
  }),
  'What becomes of the work of a run.',
)
export type ActRequest = Static<typeof ActRequest>

export const ExecutionQuery = named(
  'ExecutionQuery',
  strict({
    state: optionalChoice('Only executions in this state.', EXECUTION_STATES),
    backend: text('Only executions of this agent.'),
    workdir: text('Only executions in exactly this directory.'),
    key: text('Only executions of the API key with this name.'),
    search: text('Part of the beginning of the prompt.'),
    session: text('Only prompts of this session; its complete id.'),
    parent: text('Only the parts of this batch; its complete id.'),
    kind: optionalChoice('Only executions of this kind, such as `compare`.', EXECUTION_KINDS),
    since: optionalText('Created at this time or later: RFC 3339, UTC.', { format: 'date-time' }),
    before: optionalText('Only executions that are older than this one: the `next` of the page before.', {
      pattern: '^exec_[0-9a-f]{24}$',
    }),
    limit: optionalInteger('The size of a page; 100 by default.', { minimum: 1, maximum: MAX_PAGE }),
  }),
  'Which executions are listed.',
)
export type ExecutionSearch = Static<typeof ExecutionQuery>

export const RunQuery = named('RunQuery', strict(runs.RunQuery.properties), 'Which driven runs are listed.')

export const DiffQuery = named(
  'DiffQuery',
  strict({
    ...without(runs.DiffQuery.properties, ['files_only']),
    files_only: isOn('Only the list of files, with an empty patch.'),
  }),
  'Which part of the changes of a run is read.',
)
export type DiffSearch = Static<typeof DiffQuery>

export const ReportQuery = named('ReportQuery', strict(runs.ReportQuery.properties), 'What a report is about.')

export const RunAnswer = named('RunAnswer', strict(runs.AnswerBody.properties), 'An answer to the question of a run.')
