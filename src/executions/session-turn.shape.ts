/** A turn of a session, as it is kept in an execution. */
import { Type } from 'typebox'
import { Usage } from '../agents/adapter/agent.shape.ts'
import { literals, type Message, meaning, named, optionalList } from '../kit/shape.ts'
import { ApprovalRecord, costKind } from '../prompts/prompt-result.shape.ts'
import type { Session } from '../sessions/session.shape.ts'
import { AttachmentRecord } from './store/execution.shape.ts'
import { EXECUTION_STATES } from './store/execution-states.ts'

const text = (description: string) => Type.String({ description })

export const SessionTurn = named(
  'SessionTurn',
  Type.Object({
    execution_id: text('The execution of the turn.'),
    state: literals(EXECUTION_STATES, { description: 'The state of the execution.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the turn was requested, in UTC.' }),
    duration_ms: Type.Optional(Type.Integer({ minimum: 0, description: 'How long the agent ran.' })),
    model: Type.Optional(text('The model.')),
    is_demo: Type.Optional(Type.Literal(true, { description: 'The built-in demo agent answered.' })),
    prompt: text('The prompt.'),
    attachments: optionalList('The images and documents that came with the prompt.', AttachmentRecord),
    answer: Type.Optional(text('The answer; absent while the turn is running, and if it has no result.')),
    tools: Type.Array(
      Type.Object({
        name: text('The tool.'),
        input: text('The most telling part of its input, at most 200 characters.'),
      }),
      { description: 'The tools that the agent used, in order; empty if only results are kept.' },
    ),
    approvals: optionalList('Who decided about what the agent asked for, oldest first.', ApprovalRecord),
    usage: Type.Optional(meaning('The tokens of the turn.', Usage)),
    cost_usd: Type.Optional(Type.Number({ description: 'The cost in US dollars, if it is known.' })),
    cost_kind: costKind,
    error: Type.Optional(text('Why the turn failed.')),
  }),
  'A turn of a session, as it is kept in an execution.',
)
export type SessionTurn = Message<typeof SessionTurn>

/** A session with its latest turns, and how many are older. */
export type SessionDetail = Session & { readonly turns?: readonly SessionTurn[]; readonly older_turns?: number }
