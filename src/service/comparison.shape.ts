/** A comparison as an object: who took part, what each one changed, and whose work was kept. */
import { Type } from 'typebox'
import { Usage } from '../agents/adapter/agent.shape.ts'
import { EXECUTION_STATES } from '../executions/store/execution-states.ts'
import { literals, type Message, meaning, named, namedObject } from '../kit/shape.ts'
import { ComparedWorktree, costKind } from '../prompts/prompt-result.shape.ts'

const optional = Type.Optional
const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const moment = (description: string) => Type.String({ format: 'date-time', description })
const lines = (description: string) => Type.Union([count(description), Type.Null({ description: 'A binary file.' })])

const WORK = ['none', 'open', 'kept', 'dropped'] as const
const WORK_DESCRIPTION =
  '`none`: it changed nothing, or not in a worktree. `open`: in its worktree. `kept`: as a branch. `dropped`: gone.'

const Contender = Type.Object({
  name: text('The agent, with a number if it takes part twice.'),
  backend: text('The agent.'),
  state: literals(EXECUTION_STATES, { description: 'As of its execution.' }),
  execution_id: optional(text('Its execution; absent before it has begun.')),
  session_id: optional(text('Its session, if one is stored.')),
  duration_ms: optional(count('How long it ran; absent if it never began.')),
  model: optional(text('The model that the agent reported, otherwise the requested one.')),
  agent_version: optional(text('The version of the agent, if it tells; known when the comparison has ended.')),
  is_demo: optional(Type.Literal(true, { description: 'The built-in demo agent answered.' })),
  output: optional(text('Its answer, if answers are kept.')),
  usage: optional(
    Type.Object(
      {
        input_tokens: count('All that the model read, also from a cache.'),
        output_tokens: count('All that the model wrote, with its thinking.'),
        total_tokens: count('Both.'),
      },
      { description: 'The tokens that it used, counted alike for each agent. Absent if it reported none.' },
    ),
  ),
  token_usage: optional(meaning('The same as the agent reports it.', Usage)),
  cost_usd: optional(Type.Number({ minimum: 0, description: 'The cost in US dollars, if it is known.' })),
  cost_kind: costKind,
  work: literals(WORK, { description: WORK_DESCRIPTION }),
  error: optional(text('Why it failed.')),
  error_code: optional(text('The code of that error.')),
  commit: optional(text('The commit of what was kept or dropped. Git keeps a dropped one for some weeks.')),
  worktree: optional(ComparedWorktree),
})

export const ComparisonView = named(
  'ComparisonView',
  Type.Object({
    id: text('The execution of the comparison.'),
    state: literals(EXECUTION_STATES, { description: 'As of its execution.' }),
    prompt: optional(text('The prompt for all agents.')),
    created_at: moment('When it was started.'),
    ended_at: optional(moment('When it ended.')),
    workdir: optional(text('The directory of the agents, if they did not work in worktrees.')),
    winner: optional(text('The agent whose work was kept.')),
    contenders: Type.Array(Contender, { description: 'In the order of the request.' }),
    warnings: optional(Type.Array(Type.String(), { description: 'As in the result.' })),
  }),
  'One prompt for several agents, and what became of their work.',
)
export type ComparisonView = Message<typeof ComparisonView>

export const ComparisonSummary = named(
  'ComparisonSummary',
  Type.Object({
    id: text('The execution of the comparison.'),
    state: optional(
      literals(EXECUTION_STATES, { description: 'As of its execution. Absent if only its worktrees are kept.' }),
    ),
    prompt_start: optional(Type.String({ maxLength: 200, description: 'The first 200 characters of the prompt.' })),
    created_at: moment('When it was started.'),
    ended_at: optional(moment('When it ended.')),
    repository: optional(text('The repository, if the agents worked in worktrees.')),
    workdir: optional(text('The directory of the agents, if they did not work in worktrees.')),
    winner: optional(text('The agent whose work was kept.')),
    contenders: Type.Array(
      Type.Object({
        name: text('The agent, with a number if it takes part twice.'),
        backend: optional(text('The agent.')),
        state: optional(literals(EXECUTION_STATES, { description: 'As of its execution.' })),
        checks: optional(
          Type.Object(
            {
              passed: count('How many passed.'),
              failed: count('How many failed.'),
              canceled: optional(count('How many were ended with the comparison; absent if none.')),
              not_run: optional(count('How many the canceled comparison did not run; absent if none.')),
            },
            { description: 'Its checks, if it worked in a worktree.' },
          ),
        ),
        work: literals(WORK, { description: WORK_DESCRIPTION }),
        commit: optional(text('The commit of what was kept or dropped.')),
      }),
      { description: 'In the order of the request.' },
    ),
  }),
  'A comparison in a list.',
)
export type ComparisonSummary = Message<typeof ComparisonSummary>

export const ComparisonPage = namedObject('ComparisonPage', {
  comparisons: Type.Array(ComparisonSummary, { description: 'Newest first.' }),
  limit: count('How many the page may have.'),
  offset: count('How many newer ones were skipped.'),
  has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
})
export type ComparisonPage = Message<typeof ComparisonPage>

export const ComparedDiff = namedObject('ComparedDiff', {
  id: text('The execution of the comparison.'),
  name: text('The agent.'),
  base: text('The commit that all of them began with.'),
  files: Type.Array(
    Type.Object({
      path: text('The path.'),
      from: optional(text('The path that it was renamed from.')),
      insertions: lines('Added lines.'),
      deletions: lines('Removed lines.'),
    }),
    { description: 'The changed files.' },
  ),
  patch: text('The changes in the format of `git diff`.'),
  is_cut: Type.Boolean({ description: 'Whether the patch is longer than what is shown. All files are listed.' }),
})
export type ComparedDiff = Message<typeof ComparedDiff>
