import { Type } from 'typebox'
import { BACKEND_NAME } from '../../config/backend.shape.ts'
import { SessionTurn } from '../../executions/session-turn.shape.ts'
import { MAX_TURNS } from '../../executions/session-turns.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import {
  type Message,
  named,
  namedObject,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalList,
  optionalText,
  request,
  type Static,
  stated,
  strict,
  textLike,
} from '../../kit/shape.ts'
import { ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import { Session, SessionPage } from '../../sessions/session.shape.ts'
import { SESSION_STATUSES } from '../../sessions/session-statuses.ts'
import { BODY_ERRORS, COMMON_ERRORS, RUN_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  ACCEPTED_RESPONSE,
  EXAMPLE,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  PREFER,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import { PROMPT_RESPONSE } from './prompt.shape.ts'

const MAX_PAGE_SIZE = 1000
const TAG = '^[a-z0-9_-]{1,32}$'
/** Not only white space, and without control characters and line separators. */
const TITLE = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,200}$'

export const SessionListQuery = strict({
  backend: Type.Optional(
    textLike(BACKEND_NAME, 'the name of a backend', { description: 'Only sessions of this backend.' }),
  ),
  status: optionalChoice('Only sessions with this status.', SESSION_STATUSES),
  limit: optionalInteger('Number of sessions in the page.', { minimum: 1, maximum: MAX_PAGE_SIZE, default: 100 }),
  offset: optionalInteger('Number of sessions to skip before the page.', { minimum: 0, default: 0 }),
  tag: optionalText('Only sessions with this tag.', { minLength: 1, ...stated({ pattern: TAG }) }),
  model: optionalText('Only sessions with this model.', { minLength: 1 }),
  workdir: optionalText('Only sessions in exactly this directory.', { minLength: 1 }),
  search: optionalText('Part of the title or first prompt, or a prefix of the id.', { minLength: 1 }),
  since: optionalText('Last used at this time or later.', { format: 'date-time' }),
  until: optionalText('Last used before this time.', { format: 'date-time' }),
})
export type SessionListQuery = Static<typeof SessionListQuery>

export const SessionDetailQuery = strict({
  turns: optionalChoice(
    'Adds the turns that are kept as executions, with prompts, answers and tools.',
    ['true', 'false'],
    { default: 'false' },
  ),
})
export type SessionDetailQuery = Static<typeof SessionDetailQuery>

const SessionDetail = namedObject('SessionDetail', {
  ...Session.properties,
  turns: optionalList(
    `Only with \`turns=true\`: the latest ${MAX_TURNS} turns that are kept, oldest first.`,
    SessionTurn,
  ),
  older_turns: optionalInteger('How many turns are kept before these.', { minimum: 1 }),
})

/** The session store checks the values of titles, tags and metadata. */
export const SessionEditRequest = named(
  'SessionEditRequest',
  request(
    {
      title: Type.Optional(
        Type.Union([Type.String(stated({ pattern: TITLE })), Type.Null()], {
          description: 'The new title, one line of 1 to 200 characters; null removes the title.',
        }),
      ),
      tags: optionalList('The complete new list of tags.', Type.String(stated({ pattern: TAG })), { maxItems: 64 }),
      metadata: Type.Optional(
        Type.Unsafe<JsonObject>({ type: 'object', description: 'Replaces metadata fields of the same name.' }),
      ),
      shared: optionalFlag('Whether every API key sees the session and may resume it. Only its own key may delete it.'),
    },
    { minProperties: 1 },
  ),
)

const SessionDeleted = namedObject('SessionDeleted', {
  deleted: Type.Literal(true),
  id: Type.String({ description: 'The complete id, even if the request had only a prefix.' }),
})
export type SessionDeleted = Message<typeof SessionDeleted>

const session: Session = {
  id: EXAMPLE.sessionId,
  backend: 'claude',
  status: 'completed',
  created_at: EXAMPLE.timestamp,
  last_used: '2026-09-21T13:33:28.123Z',
  working_dir: '/srv/projects/parser',
  backend_session_id: EXAMPLE.backendSessionId,
  model: 'claude-opus-4-1',
  initial_prompt: 'Why does the parser lose the last line?',
  turn_count: 1,
  token_usage: EXAMPLE.usage,
  tags: ['api'],
  metadata: { ticket: 'P-112' },
  policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
}

const page: SessionPage = { sessions: [session], total: 1, limit: 100, offset: 0 }

const edit = { title: 'The lost line', tags: ['parser'] }

const SESSION_ID = pathParameter(
  'id',
  Type.String({
    minLength: 4,
    maxLength: 32,
    description: 'The id of the session, or a unique prefix of it.',
    ...stated({ pattern: '^[0-9a-f]{4,32}$' }),
  }),
  session.id,
)

const resumeRequests: Record<string, ResumeRequest> = {
  minimal: { prompt: 'Now write a test for it.' },
  image: { prompt: 'The page still looks like this.', attachments: [EXAMPLE.image] },
}

export const OPERATIONS: readonly Operation[] = [
  operation('get /api/v1/sessions', 'listSessions', {
    summary: 'List sessions',
    parameters: toQueryParameters(SessionListQuery),
    responses: { 200: jsonResponse('One page, most recently used first.', SessionPage, page) },
    errors: ['BadRequest', ...COMMON_ERRORS],
  }),
  operation('get /api/v1/sessions/{id}', 'getSession', {
    summary: 'Get a session',
    parameters: [SESSION_ID, ...toQueryParameters(SessionDetailQuery)],
    responses: { 200: jsonResponse('The session.', SessionDetail, session) },
    errors: SESSION_ERRORS,
  }),
  operation('patch /api/v1/sessions/{id}', 'updateSession', {
    summary: 'Change the title, tags or metadata of a session, or share it',
    parameters: [SESSION_ID],
    body: { shape: SessionEditRequest, examples: { example: edit } },
    responses: { 200: jsonResponse('The changed session.', Session, { ...session, ...edit }) },
    errors: [...new Set([...SESSION_ERRORS, ...BODY_ERRORS])],
  }),
  operation('delete /api/v1/sessions/{id}', 'deleteSession', {
    summary: 'Delete a session',
    parameters: [SESSION_ID],
    responses: { 200: jsonResponse('The session was deleted.', SessionDeleted, { deleted: true, id: session.id }) },
    errors: SESSION_ERRORS,
  }),
  operation('post /api/v1/sessions/{id}/resume', 'resumeSession', {
    summary: 'Run another prompt in a session',
    description:
      'Uses the backend of the session. With `fork`, a new session starts with the settings of this one; on another `backend`, with its conversation.',
    parameters: [SESSION_ID, IDEMPOTENCY_KEY, PREFER],
    body: { shape: ResumeRequest, examples: resumeRequests },
    responses: { 200: PROMPT_RESPONSE, 202: ACCEPTED_RESPONSE },
    errors: [...new Set([...SESSION_ERRORS, ...RUN_ERRORS])],
  }),
]
