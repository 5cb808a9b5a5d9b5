/** What may be asked about sessions. What titles, tags and moments have to be like, the sessions themselves say. */
import { Type } from 'typebox'
import { BACKENDS } from '../../agents/adapter/agent.ts'
import type { JsonObject } from '../../kit/json/json-value.ts'
import { literals, named, type Static, strict } from '../../kit/shape.ts'
import { SESSION_STATUSES } from '../../sessions/session-statuses.ts'

const MAX_SESSIONS_A_PAGE = 1000

export const SessionQuery = strict({
  backend: Type.Optional(literals(BACKENDS, { description: 'Sessions with this agent.' })),
  status: Type.Optional(literals(SESSION_STATUSES, { description: 'Sessions in this state.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_SESSIONS_A_PAGE, default: 100, description: 'Sessions of one page.' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: 'Sessions to leave out before the page.' }),
  ),
  tag: Type.Optional(Type.String({ minLength: 1, description: 'Sessions with this tag.' })),
  model: Type.Optional(Type.String({ minLength: 1, description: 'Sessions with this model.' })),
  workdir: Type.Optional(Type.String({ minLength: 1, description: 'Sessions in exactly this directory.' })),
  search: Type.Optional(
    Type.String({ minLength: 1, description: 'Part of the title or the first prompt, or the beginning of the id.' }),
  ),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Last used at this moment or later.' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Last used before this moment.' })),
})
export type SessionQuery = Static<typeof SessionQuery>

export const SessionEditRequest = named(
  'SessionEditRequest',
  strict(
    {
      title: Type.Optional(
        Type.Union([Type.String(), Type.Null()], { description: 'The new title; null takes it away.' }),
      ),
      tags: Type.Optional(
        Type.Array(Type.String(), { maxItems: 64, description: 'All tags that the session is to have.' }),
      ),
      metadata: Type.Optional(
        Type.Unsafe<JsonObject>({ type: 'object', description: 'Put in place of metadata of the same name.' }),
      ),
    },
    { minProperties: 1 },
  ),
)
export type SessionEditRequest = Static<typeof SessionEditRequest>
