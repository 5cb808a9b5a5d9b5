import { Type } from 'typebox'
import { BACKEND_NAME } from '../config/backend.shape.ts'
import { ASKED_CHARACTERS, MOST_ASKED } from '../drive/decide/follow-record.ts'
import { DRIVEN_STATES } from '../drive/service/driven-run.shape.ts'
import { literals, named, namedRequest, request, type Static, strict, textLike } from '../kit/shape.ts'

const MAX_PAGE_SIZE = 1000
/** The largest cost and time that the options of a run can hold. */
const MAX_COST_USD = 1_000_000
const MAX_TIME_SECS = 31_536_000

const optional = Type.Optional
const backend = (description: string) => textLike(BACKEND_NAME, 'the name of a backend', { description })
const model = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

const STATE = `(${DRIVEN_STATES.join('|')})`

export const RunQuery = strict({
  state: optional(
    textLike(
      `^${STATE}(,${STATE}){0,${DRIVEN_STATES.length - 1}}$`,
      `a list of these states, with commas between them: ${DRIVEN_STATES.join(', ')}`,
      {
        description: 'Only runs in one of these states.',
      },
    ),
  ),
  repository: optional(Type.String({ minLength: 1, description: 'Only runs in exactly this repository.' })),
  backend: optional(backend('Only runs of this agent.')),
  label: optional(Type.String({ minLength: 1, description: 'Only runs for issues with this label.' })),
  key: optional(Type.String({ minLength: 1, description: 'Only runs of the API key with this name.' })),
  search: optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the goal, or a prefix of the id.' }),
  ),
  before: optional(
    textLike('^[A-Za-z0-9_-]{1,128}$', 'the id of a run', {
      description: 'Only runs that are older than this one: the `next` of the page before.',
    }),
  ),
  limit: optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: 50, description: 'Number of runs in the page.' }),
  ),
})
export type RunQuery = Static<typeof RunQuery>

const MAX_PATH = 4096
/** More lines than a file that people read. */
const MAX_CONTEXT = 100_000

export const DiffQuery = strict({
  path: optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_PATH,
      description: 'Only this file, named as in `files`. The limit of 1 MiB is for its patch alone.',
    }),
  ),
  files_only: optional(
    literals(['true', 'false'], { default: 'false', description: 'Only the list of files, with an empty patch.' }),
  ),
  context: optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_CONTEXT,
      default: 3,
      description: 'Unchanged lines around each change. Of a machine that is gone there are always 3.',
    }),
  ),
})
export type DiffQuery = Static<typeof DiffQuery>

export const ReportQuery = strict({
  since: optional(
    Type.String({
      format: 'date-time',
      description: 'Runs that have changed since this time. The default is 24 hours ago.',
    }),
  ),
})
export type ReportQuery = Static<typeof ReportQuery>

/** What can be said when a run is started, and again when it is resumed. */
const options = {
  backend: optional(backend('The agent that does the work. The default is `default_backend`.')),
  model: optional(model('Its model.')),
  review_backend: optional(
    backend('The agent that reviews, read-only. The default is another installed agent, else the same one.'),
  ),
  review_model: optional(model('Its model.')),
  checks: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4000 }), {
      maxItems: 50,
      description:
        'Commands that must pass. A client can only choose from `drive.checks` and those that are saved for the repository, which are the default too; the user of the server can name any on the local socket.',
    }),
  ),
  actions: optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Actions of the run; on resume, how many more.' }),
  ),
  max_tokens: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      description: 'The run pauses once this many tokens have been used.',
    }),
  ),
  max_cost_usd: optional(
    Type.Number({
      minimum: 0.000_001,
      maximum: MAX_COST_USD,
      description: 'The run pauses once this much has been spent. Only for agents that report costs.',
    }),
  ),
  max_time_secs: optional(
    Type.Integer({ minimum: 1, maximum: MAX_TIME_SECS, description: 'The run pauses after this much working time.' }),
  ),
  rounds: optional(
    Type.Integer({
      minimum: 0,
      maximum: 20,
      description: 'Maximum follow-up runs to fix review findings and failed checks.',
    }),
  ),
  approval_mode: optional(
    literals(['auto', 'sandboxed', 'none', 'always'], {
      description:
        "What the agent may do without approval while it implements a change: edit files (`auto`), run any command in a sandbox (`sandboxed`), everything (`none`) or nothing (`always`). The key's ceilings apply.",
    }),
  ),
  mcp_servers: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 32,
      description:
        'The names of the MCP servers that the agents get, of `mcp_servers` in the config. Empty: none. The default is all that the caller may use.',
    }),
  ),
  on_limit: optional(
    literals(['ask', 'wait', 'next', 'pause'], {
      description:
        'If an agent reaches a limit of its provider: wait until it is reset, continue with the next agent of `fallback`, or pause. `ask` waits, because a server has no terminal.',
    }),
  ),
  max_wait_secs: optional(
    Type.Integer({ minimum: 1, maximum: MAX_TIME_SECS, description: 'The run waits for a limit at most this long.' }),
  ),
  fallback: optional(
    Type.Array(backend('An agent.'), {
      maxItems: 20,
      description: 'Agents that continue the work, in this order, if the one before has reached a limit.',
    }),
  ),
  deliver: optional(
    literals(['none', 'branch', 'pr'], {
      description:
        'What becomes of the work. `pr` pushes with the credentials of the server, so a client may only name it if `drive.deliver` is `pr`.',
    }),
  ),
}

export const StartBody = named(
  'RunStart',
  request(
    {
      goal: optional(Type.String({ minLength: 1, description: 'What the run should achieve.' })),
      issue: optional(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'The address of an issue instead. For a client, an issue of the repository itself.',
        }),
      ),
      issue_number: optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: 'Or the number of an issue of the repository that the remote `origin` names.',
        }),
      ),
      as_goal: optional(
        Type.Boolean({ description: 'Use the title and text of an ordinary issue as the goal. Required for one.' }),
      ),
      repository: optional(
        Type.String({
          minLength: 1,
          maxLength: 4096,
          description: 'The root of the repository, as in `drive.repositories`. Can be left out if that names one.',
        }),
      ),
      review: optional(Type.Boolean({ default: true, description: 'Whether changes are reviewed.' })),
      queue: optional(
        Type.Boolean({ description: 'Start when fewer runs than `drive.parallel` are driven, instead of at once.' }),
      ),
      after: optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description:
            'The id of a run in the same repository. The new run is queued, and starts on the branch of that run when it is delivered.',
        }),
      ),
      group: optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'A name for runs that are queued together. Their limits are `total_tokens` and `total_cost_usd`.',
        }),
      ),
      total_tokens: optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000_000,
          description: 'The runs of the group pause once they have used this many tokens together.',
        }),
      ),
      total_cost_usd: optional(
        Type.Number({
          minimum: 0.000_001,
          maximum: MAX_COST_USD,
          description: 'The runs of the group pause once they have cost this much together.',
        }),
      ),
      ...options,
    },
    { description: 'Exactly one of `goal`, `issue` and `issue_number` is required.' },
  ),
)
export type StartBody = Static<typeof StartBody>

export const ResumeBody = namedRequest('RunResume', options)
export type ResumeBody = Static<typeof ResumeBody>

const actionId = optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The action that it is about; refused if that is not the current one. The default is the current one.',
  }),
)

export const AnswerBody = namedRequest('RunAnswer', {
  text: Type.String({ minLength: 1, description: 'The answer. It also declines a destructive request.' }),
  action_id: actionId,
})
export type AnswerBody = Static<typeof AnswerBody>

export const ConfirmBody = namedRequest('RunConfirmation', {
  scope_sha256: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The `scope_sha256` of the destructive request that was shown. It permits exactly that, once.',
  }),
  action_id: actionId,
})
export type ConfirmBody = Static<typeof ConfirmBody>

export const SkipBody = namedRequest('RunSkip', { action_id: actionId })
export type SkipBody = Static<typeof SkipBody>

export const FollowUpBody = namedRequest('RunFollowUp', {
  also: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: ASKED_CHARACTERS }), {
      minItems: 1,
      maxItems: MOST_ASKED,
      description: 'What the run has to do in addition, on the same branch. Each text gets a verdict.',
    }),
  ),
  take_over: optional(
    Type.Boolean({ description: 'Continue on top of what another person pushed to the branch of the run.' }),
  ),
})
export type FollowUpBody = Static<typeof FollowUpBody>

export const MoveBody = namedRequest('RunMove', {
  before: optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The queued run that it is to start before. The default is behind all others.',
    }),
  ),
})
export type MoveBody = Static<typeof MoveBody>

export const MergeBody = namedRequest('RunMerge', {
  into: optional(
    Type.String({
      minLength: 1,
      maxLength: 250,
      description:
        'The branch of the repository to merge into. The default is the one that was checked out when the run was started.',
    }),
  ),
  here: optional(Type.Boolean({ description: 'Merge although the run has a pull request, which is left as it is.' })),
})
export type MergeBody = Static<typeof MergeBody>
