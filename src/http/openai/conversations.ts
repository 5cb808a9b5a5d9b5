/**
 * `POST /openai/v1/conversations`, and `GET`, `POST` and `DELETE` of one. A conversation is a session. `GET` and `POST …/items`, and
 * `GET` and `DELETE` of one: the items are what the turns of the session have as input and output. The agent keeps them in its own
 * session, so that none can be added or taken away there.
 */
import type { FastifyRequest } from 'fastify'
import { findTurns } from '../../executions/session-turns.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { checker } from '../../kit/schema.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'
import { executionOfCall } from '../../prompts/function-calls.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { conversationItemNotFound, conversationNotFound } from '../errors/faults.ts'
import type { Exchange } from '../executions/requested-execution.ts'
import { checkBody } from '../request/body.ts'
import {
  validateConversationCreateRequest,
  validateConversationUpdateRequest,
  validateInputItemsQuery,
} from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { sendJson } from '../response/send-json.ts'
import type {
  ConversationCreateRequest,
  ConversationDeleted,
  ConversationItem,
  ConversationItemList,
  ConversationObject,
  ConversationUpdateRequest,
} from './conversations.shape.ts'
import { readResponse } from './response-formats.ts'
import {
  callOfItem,
  DEFAULT_LIMIT,
  listInputItems,
  namesAreShort,
  placeOfItem,
  type ResponseRecord,
  readResponseRecord,
} from './response-record.ts'
import type { InputItemsQuery } from './responses.shape.ts'

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

  scope.get<ById>('/conversations/:id/items', async (request, reply) => {
    const query = readQuery(withoutInclude(request.query), checkQuery, ['limit'])
    const conversation = await findConversation(request.params.id, request, context)
    return sendJson(reply, await listItems(conversation, query, { request, reply, context }))
  })

  scope.post<ById>('/conversations/:id/items', async (request) => {
    await findConversation(request.params.id, request, context)
    throw unsupportedFeature({
      place: 'items',
      feature: 'items that belong to no response',
      advice: 'send them as input of the next response of the conversation',
    })
  })

  scope.get<ByItem>('/conversations/:id/items/:item', async (request, reply) => {
    const conversation = await findConversation(request.params.id, request, context)
    return sendJson(reply, await findItem(conversation, request.params.item, { request, reply, context }))
  })

  scope.delete<ByItem>('/conversations/:id/items/:item', async (request, reply) => {
    const conversation = await findConversation(request.params.id, request, context)
    await findItem(conversation, request.params.item, { request, reply, context })
    throw unsupportedFeature({
      place: 'item_id',
      feature: 'deleting an item, which the agent has in its session',
      advice: 'delete the conversation, or begin another one with what should stay',
    })
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

type ByItem = { Params: { id: string; item: string } }

const checkQuery = checker<InputItemsQuery>('the query', validateInputItemsQuery)

/** What a client wants to be included is never there: it is about tools of the vendor. */
function withoutInclude(query: unknown): object {
  const fields = Object.entries(query as object).filter(([name]) => !/^include(?:\[\d*\])?$/.test(name))
  return Object.fromEntries(fields)
}

async function listItems(
  conversation: Session,
  { limit = DEFAULT_LIMIT, order = 'desc', after }: InputItemsQuery,
  exchange: Exchange,
): Promise<ConversationItemList> {
  const page: ConversationItem[] = []
  let isReached = after === undefined
  for await (const item of readItems(conversation, { order, from: after }, exchange)) {
    if (isReached) page.push(item)
    // One more shows that others follow.
    if (page.length > limit) break
    isReached ||= item.id === after
  }
  if (!isReached) {
    const rule = 'must be the id of an item of this list'
    throw messageInvalid({ message: 'the query', problems: [{ path: '$.after', rule }] })
  }
  const data = page.slice(0, limit)
  const [first, last] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null]
  return { object: 'list', data, first_id: first, last_id: last, has_more: page.length > limit }
}

/** Throws a Fault if the conversation has no such item. */
async function findItem(conversation: Session, id: string, exchange: Exchange): Promise<ConversationItem> {
  for await (const item of readItems(conversation, { order: 'asc', from: id }, exchange))
    if (item.id === id) return item
  throw conversationItemNotFound({ id })
}

/** One turn after the other. If the id of an item tells its turn, it begins there. */
async function* readItems(
  { id: session }: Session,
  { order, from }: { order: 'asc' | 'desc'; from: string | undefined },
  exchange: Exchange,
): AsyncGenerator<ConversationItem, void, undefined> {
  const { executions } = exchange.context.drover
  await executions.save()
  const ids = await findTurns(exchange.context.drover.opened.executions, { session })
  if (order === 'desc') ids.reverse()
  const start = ids.indexOf(turnOfItem(from) ?? '')
  for (const id of ids.slice(Math.max(start, 0))) {
    const execution = await findTurn(id, exchange)
    const items = execution === undefined ? [] : await itemsOfTurn(execution, exchange)
    yield* order === 'desc' ? items.reverse() : items
  }
}

function turnOfItem(id = ''): string | undefined {
  return placeOfItem(id)?.executionId ?? executionOfCall(callOfItem(id) ?? '')
}

/** Undefined if it belongs to another key, which shares the session, or was removed meanwhile. */
async function findTurn(id: string, { request, context }: Exchange): Promise<Execution | undefined> {
  try {
    return await context.drover.executions.find(toRequestCaller(request, context), id)
  } catch (error) {
    if (isFault(error, executionNotFound)) return undefined
    throw error
  }
}

/** A turn may have come through another API. */
const OTHER: ResponseRecord = {
  ...{ api: 'responses', model: '', store: true, background: false, stream: false, metadata: {}, owns_session: false },
}

/** What it was told, and what each of its parts has answered. Results of functions of the client are not stored. */
async function itemsOfTurn(execution: Execution, exchange: Exchange): Promise<ConversationItem[]> {
  const record = readResponseRecord(execution) ?? OTHER
  const items: ConversationItem[] = listInputItems(execution, record)
  for (let part = 0; ; part += 1) {
    const { output } = await readResponse({ execution, record, part }, exchange)
    items.push(...output)
    const hasNext = output.some((item) => 'call_id' in item && executionOfCall(item.call_id) === execution.id)
    if (!hasNext) return items
  }
}
