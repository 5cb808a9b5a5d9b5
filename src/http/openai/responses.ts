/** `POST /openai/v1/responses`, and `GET`, `DELETE`, `…/cancel` and `…/input_items` of a response */
import type { FastifyRequest } from 'fastify'
import { carryTurns, type QuotedTurn } from '../../executions/carry-conversation.ts'
import { executionEnded } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { messageInvalid } from '../../kit/faults.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { checker } from '../../kit/schema.ts'
import { type Caller, USER } from '../../prompts/caller.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import { bridge, readTools } from '../compatible/client-tools.ts'
import { withFetchedImages } from '../compatible/fetch-images.ts'
import { sendCompatible } from '../compatible/send-reply.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { previousResponseNotFound, responseRunning } from '../errors/faults.ts'
import type { Exchange, RequestedExecution } from '../executions/requested-execution.ts'
import { checkBody } from '../request/body.ts'
import { validateCompactRequest, validateInputItemsQuery, validateResponseQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { sendJson } from '../response/send-json.ts'
import { type FoundResponse, findPrevious, findResponse, turnsUpTo } from './continue-response.ts'
import { type AskedResponse, checkResponseRequest, readResponseRequest, resolveReferences } from './create-response.ts'
import { liveFormat, readResponse, sendResponseEvents } from './response-formats.ts'
import { readInput, type StoredMessage, toCompacted, toStoredMessages } from './response-input.ts'
import { listInput } from './response-record.ts'
import type {
  CompactedResponse,
  CompactRequest,
  InputItemsQuery,
  ResponseDeleted,
  ResponseQuery,
} from './responses.shape.ts'

type ById = { Params: { id: string } }

const checkQuery = checker<ResponseQuery>('the query', validateResponseQuery)
const checkItemsQuery = checker<InputItemsQuery>('the query', validateInputItemsQuery)

/** An agent that is cancelled is gone by then. */
const CANCEL_WAIT_MS = 6000

const ID_BYTES = 12

const checkCompactRequest = checker<CompactRequest>('the request', validateCompactRequest)

export const registerResponses: RegisterRoutes = (scope, context) => {
  scope.post('/responses', async (request, reply) => {
    const given = await withFetchedImages(request.body, context.config.server)
    const asked = checkBody(given, (body) => checkResponseRequest(body, context.config.executions))
    const exchange = { request, reply, context }
    return await sendResponse(exchange, await readResponseRequest(asked, exchange))
  })

  scope.post('/responses/compact', async (request, reply) => {
    const asked = checkBody(request.body, checkCompactRequest)
    return sendJson(reply, await compactResponse(asked, { request, reply, context }))
  })

  scope.get<ById>('/responses/:id', async (request, reply) => {
    const { stream = 'false', starting_after: after } = readQuery(request.query, checkQuery, ['starting_after'])
    const found = await findResponse(request.params.id, request, context)
    if (stream === 'true') return await sendResponseEvents({ request, reply, context }, found, after)
    return sendJson(reply, await readResponse(found, { request, reply, context }))
  })

  scope.post<ById>('/responses/:id/cancel', async (request, reply) => {
    const { id } = request.params
    const { execution } = await findResponse(id, request, context)
    if (execution.ended_at === undefined) {
      const by = toRequestCaller(request, context)
      await cancelRunning(execution.id, by, context)
      await context.drover.executions.ended(by, execution.id, AbortSignal.timeout(CANCEL_WAIT_MS))
    }
    const found = await findResponse(id, request, context)
    return sendJson(reply, await readResponse(found, { request, reply, context }))
  })

  scope.delete<ById>('/responses/:id', async (request): Promise<ResponseDeleted> => {
    const { id } = request.params
    const found = await findResponse(id, request, context)
    if (found.execution.ended_at === undefined) throw responseRunning({ id })
    await deleteResponse(found, request, context)
    return { id, object: 'response', deleted: true }
  })

  scope.get<ById>('/responses/:id/input_items', async (request, reply) => {
    const query = readQuery(request.query, checkItemsQuery, ['limit'])
    const { execution, record } = await findResponse(request.params.id, request, context)
    return sendJson(reply, listInput(execution, record, query))
  })
}

/** It may have ended meanwhile. */
async function cancelRunning(id: string, by: Caller, { drover }: ServerContext): Promise<void> {
  try {
    await drover.executions.cancel(by, id)
  } catch (error) {
    if (!isFault(error, executionEnded)) throw error
  }
}

async function sendResponse(exchange: Exchange, asked: AskedResponse): Promise<object> {
  const { prompt, record, isStream } = asked
  const { vendor_errors: isVendorOnly } = exchange.context.config.server
  const options = { prompt: prompt.prompt, isStream, isVendorOnly }
  const sent = sendCompatible(exchange, asked, {
    prompt,
    answer: asked.answer,
    isEphemeral: !record.store,
    clientRequest: record as unknown as JsonObject,
    ...(record.background && { detach: true }),
    accept: (execution) => acceptResponse(exchange, execution),
    toFormat: (execution, hooks) => liveFormat(execution, record, { ...options, ...hooks }),
  })
  return await sent.catch((error: unknown) => {
    throw explainDeleted(error, record)
  })
}

/** The session that the response continues was deleted, with the response before it, after both were found. */
function explainDeleted(error: unknown, { previous_response_id: id }: AskedResponse['record']): unknown {
  if (id === undefined || !isFault(error, sessionNotFound)) return error
  return previousResponseNotFound({ id, place: 'previous_response_id' })
}

/** The answer to a client that does not wait for the agent. */
async function acceptResponse(exchange: Exchange, { id }: RequestedExecution): Promise<object> {
  const { request, reply, context } = exchange
  // The client may ask for it at once, also through another process.
  await context.drover.executions.save()
  const execution = await context.drover.executions.find(toRequestCaller(request, context), id)
  const found = { execution, record: execution.client_request as unknown as FoundResponse['record'] }
  if (execution.session_id !== undefined) reply.header('x-drover-session', execution.session_id)
  if (found.record.stream) return await sendResponseEvents({ request, reply, context }, found)
  return sendJson(reply, await readResponse(found, { request, reply, context }))
}

/** Deletes its session too, if no other turn of it is stored and a response has started it. */
async function deleteResponse(
  { execution, record }: FoundResponse,
  request: FastifyRequest,
  context: ServerContext,
): Promise<void> {
  const { id, session_id: session } = execution
  const { executions, sessions } = context.drover
  await executions.remove(id)
  if (session === undefined || !record.owns_session) return
  const left = await executions.list(USER, { session }, { limit: 1 })
  if (left.executions.length > 0) return
  const visible = await sessions.of(toRequestCaller(request, context))
  await visible.delete(session).catch(() => {})
}

/** `POST /openai/v1/responses/compact`: the latest turns of a conversation as one item, without asking a model. */
async function compactResponse(asked: CompactRequest, exchange: Exchange): Promise<CompactedResponse> {
  const { request, context } = exchange
  const { drover, ids, clock, config } = context
  const { client_tools: clientTools } = config.server
  const { entries } = readInput(asked.input ?? [], { clientTools })
  const said = await resolveReferences(entries, exchange)
  const { messages } = bridge(said, readTools({}, clientTools), { hasCalls: !asked.previous_response_id })
  const turns = toTurns(toStoredMessages(messages))
  const id = asked.previous_response_id
  const earlier = id ? await turnsUpTo(await findPrevious(id, request, context), { request, context }) : undefined
  if (earlier === undefined && turns.length === 0) {
    const rule = 'must have a message, or previous_response_id must be sent'
    throw messageInvalid({ message: 'the request', problems: [{ path: '$.input', rule }] })
  }
  const talk = { kept: [], missing: 0, ...earlier, said: turns }
  const { text } = await carryTurns(talk, drover.opened.executions, ids)
  const random = ids.hex(ID_BYTES)
  return {
    id: `resp_${random}`,
    object: 'response.compaction',
    created_at: Math.floor(clock.now().getTime() / 1000),
    output: [{ type: 'compaction', id: `cmp_${random}`, encrypted_content: toCompacted(text) }],
    usage: {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    },
  }
}

/** An answer belongs to the message before it. */
function toTurns(messages: readonly StoredMessage[]): QuotedTurn[] {
  const turns: { prompt: string; answer?: string; tools: [] }[] = []
  for (const { role, text } of messages) {
    const last = turns.at(-1)
    if (role === 'user') turns.push({ prompt: text, tools: [] })
    else if (role === 'assistant' && last === undefined) turns.push({ prompt: '', answer: text, tools: [] })
    else if (role === 'assistant' && last !== undefined)
      last.answer = last.answer === undefined ? text : `${last.answer}\n\n${text}`
  }
  return turns.map((turn) => ({ backend: 'assistant', turn }))
}
