/** `GET /api/v1/executions`, `GET /api/v1/executions/{id}`, its events and attachments, `POST …/cancel`, `POST …/message`, `GET /api/v1/approvals` and `GET /api/v1/events` */
import type { FastifyRequest } from 'fastify'
import type { DrivenRunChange } from '../../drive/service/run-service.ts'
import { isFinal } from '../../executions/store/execution-states.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { checker, requestChecker } from '../../kit/schema.ts'
import type { MessageSent } from '../../prompts/message-sent.shape.ts'
import { toDecider, toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import {
  validateDecisionBody,
  validateEventsQuery,
  validateExecutionQuery,
  validateMessageBody,
} from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { abortOnDisconnect, abortWhenGone } from '../response/disconnects.ts'
import { sendDocument, sendJson } from '../response/send-json.ts'
import { type StreamFormat, type StreamLimits, sendStream, streamLimits } from '../response/send-stream.ts'
import { SSE_MEDIA_TYPE } from '../response/sse-frames.ts'
import type {
  ApprovalDecided,
  DecisionBody,
  EventsQuery,
  ExecutionCancelled,
  ExecutionQuery,
  MessageBody,
} from './executions.shape.ts'

type ById = { Params: { id: string } }
type AttachmentById = { Params: { id: string; digest: string } }
type ApprovalById = { Params: { id: string; approval: string } }

const checkExecutionQuery = checker<ExecutionQuery>('the query', validateExecutionQuery)
const checkEventsQuery = checker<EventsQuery>('the query', validateEventsQuery)

const checkDecision = requestChecker<DecisionBody>('the request', validateDecisionBody)

const checkMessage = requestChecker<MessageBody>('the request', validateMessageBody)

const DEFAULT_LIMIT = 100

export const registerExecutions: RegisterRoutes = (scope, context) => {
  const { executions, runs } = context.drover

  scope.get('/executions', async (request, reply) => {
    const { limit = DEFAULT_LIMIT, ...filter } = readQuery(request.query, checkExecutionQuery, ['limit'])
    return sendJson(reply, await executions.list(toRequestCaller(request, context), filter, { limit }))
  })

  scope.get<ById>('/executions/:id', async (request, reply) =>
    sendJson(reply, await executions.find(toRequestCaller(request, context), request.params.id)),
  )

  scope.get<ById>('/executions/:id/events', STREAM, async (request, reply) => {
    const by = toRequestCaller(request, context)
    const { id, state, last_seq: lastSeq } = await executions.find(by, request.params.id)
    const { after = lastEventId(request) ?? 0 } = readQuery(request.query, checkEventsQuery, ['after'])
    // An `EventSource` connects again after the end of a stream. 204 tells it to stop.
    if (isFinal(state) && after >= lastSeq && wantsServerSentEvents(request)) return reply.code(204).send()
    const [signal, ending] = [abortWhenGone(reply.raw), context.drainDeadline]
    const events = executions.follow(by, id, { after, signal, ending })
    await sendStream({ reply, events }, numberedFormat(request, context), executionStreamLimits(context))
    return reply
  })

  scope.get<AttachmentById>('/executions/:id/attachments/:digest', async (request, reply) => {
    const {
      media_type: contentType,
      bytes,
      digest,
    } = await executions.attachment(toRequestCaller(request, context), request.params)
    // A browser must neither guess another type nor run what is in a document.
    reply.headers({
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': contentType.startsWith('image/') ? 'inline' : 'attachment',
    })
    return sendDocument({ request, reply }, { contentType, body: bytes, etag: `"${digest}"` })
  })

  scope.post<ById>('/executions/:id/cancel', async (request, reply): Promise<ExecutionCancelled> => {
    const { id, state } = await executions.cancel(toRequestCaller(request, context), request.params.id)
    void reply.code(202)
    return { id, state }
  })

  scope.post<ById>('/executions/:id/message', async (request): Promise<MessageSent> => {
    const { text } = checkBody(request.body, checkMessage)
    const said = { text, by: toDecider(request) }
    return await executions.say(toRequestCaller(request, context), request.params.id, said)
  })

  scope.post<ApprovalById>('/executions/:id/approvals/:approval', async (request): Promise<ApprovalDecided> => {
    const asked = checkBody(request.body, checkDecision)
    const { approval } = request.params
    const decided = { ...asked, by: toDecider(request) }
    const decision = await executions.decide(toRequestCaller(request, context), request.params, decided)
    return { approval_id: approval, decision }
  })

  scope.get('/approvals', async (request, reply) =>
    sendJson(reply, { approvals: await executions.approvals(toRequestCaller(request, context)) }),
  )

  scope.get('/events', STREAM, async (request, reply) => {
    const disconnected = abortOnDisconnect(reply.raw, context)
    // A client reads everything again after the end of the stream.
    const missed = new AbortController()
    const signal = AbortSignal.any([disconnected, context.shutdown, missed.signal])
    const by = toRequestCaller(request, context)
    const events = executions.watch<DrivenRunChange>(by, signal, (tell) =>
      runs.watch(by, { onRun: (run) => tell({ type: 'run', run }), onMissed: () => missed.abort() }),
    )
    await sendStream({ reply, events }, stateFormat(request, context), executionStreamLimits(context))
    return reply
  })
}

/** A browser's `EventSource` sends it when it connects again. */
export function lastEventId({ headers }: FastifyRequest): number | undefined {
  const header = headers['last-event-id']
  if (header === undefined || header === '') return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  const problem = { path: 'Last-Event-ID', rule: 'must be the number of an event, up to 15 digits' }
  throw messageInvalid({ message: 'the request', problems: [problem] })
}

/** A client that receives nothing for longer knows that its connection is dead. */
const HEARTBEAT_MS = 10_000

/** For a route that streams. A `HEAD` of it would be as long as the stream. */
export const STREAM = { exposeHeadRoute: false } as const

export function wantsServerSentEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Several events are one chunk. In server-sent events, the id is the number of the event, if it has one. */
export function numberedFormat(request: FastifyRequest, context: ServerContext): StreamFormat<NumberedEvent[], void> {
  const isSse = wantsServerSentEvents(request)
  const toFrame = isSse ? numberedFrame : jsonLine
  return { ...common(isSse, context), frame: (events) => events.map(toFrame).join('') }
}

type NumberedEvent = { readonly seq?: number; readonly type: string }

function numberedFrame(event: NumberedEvent): string {
  return event.seq === undefined ? sseFrame(event) : `id: ${event.seq}\n${sseFrame(event)}`
}

function stateFormat(request: FastifyRequest, context: ServerContext): StreamFormat<{ type: string }, void> {
  const isSse = wantsServerSentEvents(request)
  return { ...common(isSse, context), frame: isSse ? sseFrame : jsonLine }
}

export function executionStreamLimits(context: ServerContext): StreamLimits {
  const limits = streamLimits(context)
  return { ...limits, heartbeatMs: Math.min(limits.heartbeatMs, HEARTBEAT_MS) }
}

/** The heartbeat is data, because clients cannot see comments. */
function common(isSse: boolean, { clock }: ServerContext) {
  const heartbeat = () => ({ type: 'heartbeat', at: toTimestamp(clock.now()) })
  return {
    contentType: isSse ? SSE_MEDIA_TYPE : 'application/x-ndjson',
    opensAtOnce: true,
    end: () => '',
    heartbeat: () => (isSse ? sseFrame(heartbeat()) : jsonLine(heartbeat())),
  }
}

function sseFrame(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

function jsonLine(data: object): string {
  return `${JSON.stringify(data)}\n`
}
