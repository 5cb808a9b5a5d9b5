import { checker } from '../../kit/schema.ts'
import type { SessionEdit, SessionStore } from '../../sessions/session-store.ts'
import { validateSessionEditRequest } from '../checks.generated.js'
import type { RegisterRoutes } from '../register-routes.ts'
import { checkBody } from '../request/read-body.ts'
import type { SessionDeleted } from './session-deleted.shape.ts'
import { readSessionQuery } from './session-query.ts'
import type { SessionEditRequest } from './session-requests.shape.ts'

type ById = { Params: { id: string } }

const checkEdit = checker<SessionEditRequest>('the request', validateSessionEditRequest)

export const registerSessions: RegisterRoutes = (scope, { store }) => {
  scope.get('/sessions', async ({ query }) => {
    const { filter, page } = readSessionQuery(query)
    return await store.list(filter, page)
  })

  scope.get<ById>('/sessions/:id', async ({ params }) => await store.find(params.id))

  scope.patch<ById>('/sessions/:id', async ({ params, body }) => {
    return await store.edit(params.id, await toEdit(checkBody(body, checkEdit), { store, id: params.id }))
  })

  scope.delete<ById>('/sessions/:id', async ({ params }): Promise<SessionDeleted> => {
    return { deleted: true, id: await store.delete(params.id) }
  })
}

/** A request names all tags that the session is to have; the store takes those that come and those that go. */
async function toEdit(request: SessionEditRequest, of: { store: SessionStore; id: string }): Promise<SessionEdit> {
  const { title, tags, metadata } = request
  const wanted = tags && { addTags: tags, removeTags: without(tags, (await of.store.find(of.id)).tags) }
  return { ...(title !== undefined && { title }), ...wanted, ...(metadata !== undefined && { metadata }) }
}

function without(kept: readonly string[], all: readonly string[]): string[] {
  return all.filter((tag) => !kept.includes(tag))
}
