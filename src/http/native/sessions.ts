/** `GET /api/v1/sessions`, and `GET`, `PATCH` and `DELETE /api/v1/sessions/{id}` */
import { messageInvalid } from '../../kit/faults.ts'
import { checker } from '../../kit/schema.ts'
import type { SessionFilter } from '../../sessions/session-store.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateSessionEditRequest, validateSessionQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { sendJson } from '../response/send-json.ts'
import type { SessionDeleted, SessionEditRequest, SessionQuery } from './sessions.shape.ts'

type ById = { Params: { id: string } }

export const registerSessions: RegisterRoutes = (scope, { store, config }) => {
  scope.get('/sessions', async ({ query }, reply) => {
    const { filter, page } = readSessionQuery(query)
    checkBackend(filter.backend, Object.keys(config.backends))
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

/** Which backends there are depends on the configuration, so the schema cannot say it. */
function checkBackend(name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return
  const rule = `must be one of ${known.map((each) => JSON.stringify(each)).join(', ')}`
  throw messageInvalid({ message: 'the query', problems: [{ path: '$.backend', rule }] })
}

const DEFAULT_LIMIT = 100

function readSessionQuery(query: unknown): { filter: SessionFilter; page: { limit: number; offset: number } } {
  const { limit = DEFAULT_LIMIT, offset = 0, ...filter } = readQuery(query, checkQuery, ['limit', 'offset'])
  return { filter, page: { limit, offset } }
}

const checkEdit = checker<SessionEditRequest>('the request', validateSessionEditRequest)
