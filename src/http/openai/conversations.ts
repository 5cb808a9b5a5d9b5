/** `POST /openai/v1/conversations`, and `GET`, `POST` and `DELETE` of one. A conversation is a session. */
import type { FastifyRequest } from 'fastify'
import { isFault } from '../../kit/fault.ts'
import { checker } from '../../kit/schema.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { conversationNotFound } from '../errors/faults.ts'
import { checkBody } from '../request/body.ts'
import { validateConversationCreateRequest, validateConversationUpdateRequest } from '../request/checks.generated.js'
import type {
  ConversationCreateRequest,
  ConversationDeleted,
  ConversationObject,
  ConversationUpdateRequest,
} from './conversations.shape.ts'
import { namesAreShort } from './response-record.ts'

type ById = { Params: { id: string } }

const checkCreate = checker<ConversationCreateRequest>('the request', validateConversationCreateRequest, [
  namesAreShort,
])
const checkUpdate = checker<ConversationUpdateRequest>('the request', validateConversationUpdateRequest, [
  namesAreShort,
])

export const registerConversations: RegisterRoutes = (scope, context) => {
  scope.post('/conversations', async (request): Promise<ConversationObject> => {
    const { metadata, items } = checkBody(request.body ?? {}, checkCreate)
    if (items && items.length > 0)
      throw unsupportedFeature({
        place: 'items',
        feature: 'items of a new conversation',
        advice: 'send them as input of its first response',
      })
    const { default_backend: backend } = context.config
    const known = { backend, metadata: metadata ?? {} }
    return toConversation(await context.drover.sessions.prepare(toRequestCaller(request, context), known))
  })

  scope.get<ById>('/conversations/:id', async (request): Promise<ConversationObject> => {
    return toConversation(await findConversation(request.params.id, request, context))
  })

  scope.post<ById>('/conversations/:id', async (request): Promise<ConversationObject> => {
    const { metadata } = checkBody(request.body, checkUpdate)
    const change = (sessions: VisibleSessions, id: string) => sessions.edit(id, { metadata })
    return toConversation(await withSession(request.params.id, { request, context }, change))
  })

  scope.delete<ById>('/conversations/:id', async (request): Promise<ConversationDeleted> => {
    const { id } = request.params
    await withSession(id, { request, context }, (sessions, session) => sessions.delete(session))
    return { id, object: 'conversation.deleted', deleted: true }
  })
}

/** The session that is the conversation. Throws a Fault if there is none, or if it belongs to another key. */
export async function findConversation(id: string, request: FastifyRequest, context: ServerContext): Promise<Session> {
  return await withSession(id, { request, context }, (sessions, session) => sessions.find(session))
}

async function withSession<T>(
  id: string,
  { request, context }: { request: FastifyRequest; context: ServerContext },
  work: (sessions: VisibleSessions, session: string) => Promise<T>,
): Promise<T> {
  const [, session] = /^conv_([0-9a-f]{32})$/.exec(id) ?? []
  if (session === undefined) throw conversationNotFound({ id })
  try {
    return await work(await context.drover.sessions.of(toRequestCaller(request, context)), session)
  } catch (error) {
    throw isFault(error, sessionNotFound) ? conversationNotFound({ id }) : error
  }
}

function toConversation({ id, created_at: createdAt, metadata }: Session): ConversationObject {
  const created = Math.floor(Date.parse(createdAt) / 1000)
  return { id: `conv_${id}`, object: 'conversation', created_at: created, metadata }
}
