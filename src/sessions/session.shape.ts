/** A session: the record of one conversation with an agent, as it is stored and as it goes over the wire. */
import { Type } from 'typebox'
import { Usage } from '../agents/adapter/agent.shape.ts'
import { APPROVAL_MODES, BACKENDS, SANDBOX_MODES } from '../agents/adapter/agent.ts'
import type { JsonObject } from '../kit/json/json-value.ts'
import { literals, type Message, meaning, named } from '../kit/shape.ts'
import { SESSION_STATUSES } from './session-statuses.ts'

const text = (description: string) => Type.String({ description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

/** What the agent was allowed, so that a resumed session is allowed the same. */
export const SessionPolicy = named(
  'SessionPolicy',
  Type.Object({
    approval_mode: literals(APPROVAL_MODES, { description: 'What the agent did without asking.' }),
    sandbox_mode: literals(SANDBOX_MODES, { description: 'What the agent could reach.' }),
    model: Type.Optional(text('What was asked for; a session without it stays with what the agent chose.')),
    allowed_tools: Type.Optional(text('Tools that the agent might use without asking.')),
    extra: Type.Array(Type.String(), { description: 'Arguments for the agent itself.' }),
  }),
)
export type SessionPolicy = Message<typeof SessionPolicy>

export const Session = named(
  'Session',
  Type.Object({
    id: text('32 lowercase hexadecimal digits.'),
    backend: literals(BACKENDS, { description: 'The agent.' }),
    status: literals(SESSION_STATUSES, {
      description:
        '`active` while a process works on it, then `completed` or `error`. `paused`: interrupted, and it can be resumed.',
    }),
    created_at: moment('In UTC.'),
    last_used: moment('When its last turn began or ended, in UTC.'),
    working_dir: text('Absolute, links resolved.'),
    backend_session_id: Type.Optional(text("The agent's own id; without it the session cannot be resumed.")),
    model: Type.Optional(text('What the agent said it used, or else what was asked for.')),
    system_prompt: Type.Optional(text('What the agent was told first of all.')),
    initial_prompt: text('The prompt of the first turn.'),
    turn_count: Type.Integer({ minimum: 0, description: 'Turns that have ended.' }),
    token_usage: meaning('Of all turns.', Usage),
    tags: Type.Array(Type.String(), { description: 'Words to find it by.' }),
    title: Type.Optional(text('What people call it.')),
    parent_id: Type.Optional(text('The session that this one was forked from.')),
    error_message: Type.Optional(text('Why the last turn failed.')),
    metadata: Type.Unsafe<JsonObject>({ type: 'object', description: 'What was given with its prompt.' }),
    policy: meaning('What the agent was allowed.', SessionPolicy),
  }),
)
/** Metadata are read-only already, and too deep for the compiler to make them so again. */
export type Session = Omit<Message<typeof Session>, 'metadata'> & { readonly metadata: JsonObject }

export const SessionPage = named(
  'SessionPage',
  Type.Object({
    sessions: Type.Array(Session, { description: 'Last used first.' }),
    total: Type.Integer({ minimum: 0, description: 'All that match, not only those of this page.' }),
    limit: Type.Integer({ minimum: 1, description: 'The limit that was in force.' }),
    offset: Type.Integer({ minimum: 0, description: 'The sessions that were left out before the page.' }),
  }),
)
export type SessionPage = Omit<Message<typeof SessionPage>, 'sessions'> & { readonly sessions: readonly Session[] }
