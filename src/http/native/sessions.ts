/** `GET /api/v1/sessions`, and `GET`, `PATCH` and `DELETE /api/v1/sessions/{id}` */
import { checker } from '../../kit/schema.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateSessionEditRequest, validateSessionQuery } from '../request/checks.generated.js'
import { sendJson } from '../response/send-json.ts'
import type { SessionDeleted, SessionEditRequest, SessionQuery } from './sessions.shape.ts'

type ById = { Params: { id: string } }

export const registerSessions: RegisterRoutes = (scope, { store }) => {
  scope.get('/sessions', async ({ query }, reply) => {
    const { filter, page } = readSessionQuery(query)
    return sendJson(reply, await store.list(filter, page))
  })

  scope.get<ById>('/sessions/:id', async ({ params }, reply) => sendJson(reply, await store.find(params.id)))

  scope.patch<ById>('/sessions/:id', async ({ params, body }, reply) => {
    return sendJson(reply, await store.edit(params.id, checkBody(body, checkEdit)))
  })

  scope.delete<ById>('/sessions/:id', async ({ params }): Promise<SessionDeleted> => {
    return { deleted: true, id: await store.delete(params.id) }
  })
}

const checkQuery = checker<SessionQuery>('the query', validateSessionQuery)

const DEFAULT_LIMIT = 100

function readSessionQuery(query: unknown): { filter: SessionFilter; page: { limit: number; offset: number } } {
  const fields = Object.entries(query as Record<string, unknown>).filter((field) => !isEmpty(field))
  const typed = fields.map(([name, value]) => [name, NUMBERS.has(name) ? toInteger(value) : value])
  const { limit = DEFAULT_LIMIT, offset = 0, ...filter } = checkQuery(Object.fromEntries(typed))
  return { filter, page: { limit, offset } }
}

/** An empty filter, as a form sends it, and a limit of 0 mean that the parameter is not given. */
function isEmpty([name, value]: [string, unknown]): boolean {
  return value === '' || (name === 'limit' && value === '0')
}

const NUMBERS = new Set(['limit', 'offset'])

/** All values of a query are strings. One that is not an integer is left for the check, which refuses it. */
function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

const checkEdit = checker<SessionEditRequest>('the request', validateSessionEditRequest)
