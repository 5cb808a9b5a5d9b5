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

const Contender = Type.Object({
  name: text('The agent, with a number if it takes part twice.'),
  backend: text('The agent.'),
  state: literals(EXECUTION_STATES, { description: 'As of its execution.' }),
  execution_id: optional(text('Its execution; absent before it has begun.')),
  session_id: optional(text('Its session, if one is stored.')),
  duration_ms: optional(count('How long it ran.')),
  usage: optional(meaning('The tokens that it used.', Usage)),
  cost_usd: optional(Type.Number({ minimum: 0, description: 'The cost in US dollars, if it is known.' })),
  cost_kind: costKind,
  work: literals(['none', 'open', 'kept', 'dropped'], {
    description:
      '`none`: it changed nothing, or not in a worktree. `open`: in its worktree. `kept`: as a branch. `dropped`: gone.',
  }),
  commit: optional(text('The commit that was kept.')),
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
    winner: optional(text('The agent whose work was kept.')),
    contenders: Type.Array(Contender, { description: 'In the order of the request.' }),
    warnings: optional(Type.Array(Type.String(), { description: 'As in the result.' })),
  }),
  'One prompt for several agents, and what became of their work.',
)
export type ComparisonView = Message<typeof ComparisonView>

export const ComparedDiff = namedObject('ComparedDiff', {
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
