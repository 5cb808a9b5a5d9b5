/** A session: the record of one conversation with an agent, as stored and as sent to clients. */
import { type TProperties, Type } from 'typebox'
import { Usage } from '../agents/adapter/agent.shape.ts'
import { APPROVAL_MODES, SANDBOX_MODES } from '../agents/adapter/agent.ts'
import type { JsonObject } from '../kit/json-value.ts'
import { literals, type Message, meaning, named } from '../kit/shape.ts'
import { SESSION_STATUSES } from './session-statuses.ts'

const text = (description: string) => Type.String({ description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

/** The permissions of the agent; a resumed session gets the same. */
export const SessionPolicy = named(
  'SessionPolicy',
  Type.Object({
    approval_mode: literals(APPROVAL_MODES, {
      description:
        'What the agent may do without approval: edit files (`auto`), everything in a sandbox (`sandboxed`), everything (`none`), nothing (`always`), or what its own settings allow (`default`).',
    }),
    sandbox_mode: literals(SANDBOX_MODES, { description: 'What the agent may access.' }),
    sandbox: Type.Optional(
      Type.Literal('required', { description: 'The agent runs in a sandbox that the system enforces.' }),
    ),
    model: Type.Optional(text('The requested model; without it the agent chooses.')),
    allowed_tools: Type.Optional(text('Tools that the agent may use without approval.')),
    additional_directories: Type.Optional(
      Type.Array(Type.String(), { description: 'Directories in which the agent works too.' }),
    ),
    extra: Type.Array(Type.String(), { description: 'Further arguments for the agent.' }),
  }),
  'The permissions of the agent; a resumed session gets the same.',
)
export type SessionPolicy = Message<typeof SessionPolicy>

const FIELDS = {
  id: text('32 lowercase hexadecimal digits.'),
  backend: Type.String({ description: 'The name of the backend.' }),
  status: literals(SESSION_STATUSES, {
    description:
      '`active` while a turn runs, then `completed` or `error`. `paused`: interrupted, and it can be resumed.',
  }),
  created_at: moment('When the session was created, in UTC.'),
  last_used: moment('When its last turn began or ended, in UTC.'),
  working_dir: text('The working directory: absolute, links resolved.'),
  backend_session_id: Type.Optional(
    text("The agent's own id of the session; without it the session cannot be resumed."),
  ),
  model: Type.Optional(text('The model that the agent reported, otherwise the requested one.')),
  system_prompt: Type.Optional(text('The system prompt.')),
  initial_prompt: text('The prompt of the first turn.'),
  turn_count: Type.Integer({ minimum: 0, description: 'Number of finished turns.' }),
  token_usage: meaning('Total of all turns.', Usage),
  tags: Type.Array(Type.String(), { description: 'Tags, for filtering.' }),
  title: Type.Optional(text('A title for people.')),
  is_demo: Type.Optional(
    Type.Literal(true, { description: 'The built-in demo agent answers. A real agent cannot continue it.' }),
  ),
  parent_id: Type.Optional(text('The session that this one was forked from.')),
  api_key: Type.Optional(text('The name of the API key that it belongs to.')),
  shared: Type.Optional(Type.Literal(true, { description: 'Every API key sees it and may resume it.' })),
  error_message: Type.Optional(text('Why the last turn failed.')),
  metadata: Type.Unsafe<JsonObject>({ type: 'object', description: 'Metadata of the client.' }),
  policy: meaning('The permissions of the agent.', SessionPolicy),
} satisfies TProperties

export const Session = named('Session', Type.Object(FIELDS), 'The record of one conversation with an agent.')
/** `JsonObject` is read-only already, and too deeply recursive for `Message`. */
export type Session = Omit<Message<typeof Session>, 'metadata'> & { readonly metadata: JsonObject }

const start = (description: string) => Type.String({ maxLength: 200, description })

/** A session in a page. Whole prompts may have megabytes each. */
const SessionSummary = named(
  'SessionSummary',
  Type.Object({
    ...FIELDS,
    system_prompt: Type.Optional(start('The first 200 characters of the system prompt.')),
    initial_prompt: start('The first 200 characters of the prompt of the first turn.'),
  }),
  'A session in a page, with the beginnings of its prompts.',
)

export const SessionPage = named(
  'SessionPage',
  Type.Object({
    sessions: Type.Array(SessionSummary, { description: 'Last used first.' }),
    total: Type.Integer({ minimum: 0, description: 'Number of all matching sessions, not only of this page.' }),
    limit: Type.Integer({ minimum: 1, description: 'The applied limit.' }),
    offset: Type.Integer({ minimum: 0, description: 'The number of sessions before this page.' }),
  }),
  'A page of sessions.',
)
export type SessionPage = Omit<Message<typeof SessionPage>, 'sessions'> & { readonly sessions: readonly Session[] }
