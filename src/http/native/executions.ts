/** `GET /api/v1/executions`, `GET /api/v1/executions/{id}`, its events, `POST …/cancel`, `GET /api/v1/approvals` and `GET /api/v1/events` */
import type { FastifyRequest } from 'fastify'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { isFinal } from '../../executions/store/execution-states.ts'
import { executionEnded, executionNotFound } from '../../executions/store/faults.ts'
import { checker } from '../../kit/schema.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import { approvalNotAllowed } from '../../prompts/faults.ts'
import { keyThatSees } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { decideApproval, deciderOf } from '../executions/decide-approval.ts'
import { checkBody } from '../request/body.ts'
import { validateDecisionBody, validateEventsQuery, validateExecutionQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { abortOnDisconnect } from '../response/abort-on-disconnect.ts'
import { promptsOf } from '../response/prompts-of.ts'
import { sendJson } from '../response/send-json.ts'
import { sendStream } from '../response/send-stream.ts'
import {
  executionStreamLimits,
  numberedFormat,
  STREAM,
  stateFormat,
  wantsServerSentEvents,
} from './execution-streams.ts'
import type {
  ApprovalDecided,
  DecisionBody,
  EventsQuery,
  ExecutionCancelled,
  ExecutionQuery,
} from './executions.shape.ts'

type ById = { Params: { id: string } }
type ApprovalById = { Params: { id: string; approval: string } }

const checkExecutionQuery = checker<ExecutionQuery>('the query', validateExecutionQuery)
const checkEventsQuery = checker<EventsQuery>('the query', validateEventsQuery)

const checkDecision = checker<DecisionBody>('the request', validateDecisionBody)

const DEFAULT_LIMIT = 100

export const registerExecutions: RegisterRoutes = (scope, context) => {
  scope.get('/executions', async (request, reply) => {
    const { limit = DEFAULT_LIMIT, ...filter } = readQuery(request.query, checkExecutionQuery, ['limit'])
    const keyId = keyThatSees(request, context)
    await context.executions.save()
    const visible = keyId === undefined ? filter : { ...filter, keyId }
    return sendJson(reply, await context.executionStore.list(visible, { limit }))
  })

  scope.get<ById>('/executions/:id', async (request, reply) =>
    sendJson(reply, await findExecution(request.params.id, request, context)),
  )

  scope.get<ById>('/executions/:id/events', STREAM, async (request, reply) => {
    const { id, state, last_seq: lastSeq } = await findExecution(request.params.id, request, context)
    const { after = lastEventId(request) ?? 0 } = readQuery(request.query, checkEventsQuery, ['after'])
    // An `EventSource` connects again after the end of a stream. 204 tells it to stop.
    if (isFinal(state) && after >= lastSeq && wantsServerSentEvents(request)) return reply.code(204).send()
    const events = context.executions.follow(id, { after, signal: abortOnDisconnect(reply.raw, context) })
    await sendStream({ reply, events }, numberedFormat(request, context), executionStreamLimits(context))
    return reply
  })

  scope.post<ById>('/executions/:id/cancel', async (request, reply): Promise<ExecutionCancelled> => {
    const execution = await findExecution(request.params.id, request, context)
    const { id, state } = execution
    if (isFinal(state)) throw executionEnded({ id, state })
    await context.executions.cancel(execution)
    void reply.code(202)
    return { id, state }
  })

  scope.post<ApprovalById>('/executions/:id/approvals/:approval', async (request): Promise<ApprovalDecided> => {
    const asked = checkBody(request.body, checkDecision)
    const { id } = await findExecution(request.params.id, request, context)
    refuseLimitedKey(request, context)
    const { approval } = request.params
    const decided = { ...asked, by: deciderOf(request) }
    return { approval_id: approval, decision: await decideApproval(context, { id, approval }, decided) }
  })

  scope.get('/approvals', async (request, reply) => {
    const keyId = keyThatSees(request, context)
    const isVisible = (id: string) => keyId === undefined || context.executions.find(id)?.key_id === keyId
    const shared = await context.approvalBoard?.list()
    if (shared !== undefined) return sendJson(reply, { approvals: await ofKey(shared, keyId, context) })
    const approvals = context.prompts.approvals?.list() ?? []
    return sendJson(reply, { approvals: approvals.filter(({ execution_id: id }) => isVisible(id)) })
  })

  scope.get('/events', STREAM, async (request, reply) => {
    const disconnected = abortOnDisconnect(reply.raw, context)
    const signal = AbortSignal.any([disconnected, context.shutdown])
    const keyId = keyThatSees(request, context)
    const isVisible = (execution: Execution) => keyId === undefined || execution.key_id === keyId
    const events = context.stateFeed.watch({ signal, isVisible })
    await sendStream({ reply, events }, stateFormat(request, context), executionStreamLimits(context))
    return reply
  })
}

/** A key must not allow an agent more than it may ask for itself. */
function refuseLimitedKey(request: FastifyRequest, context: ServerContext): void {
  const { approval, sandbox } = promptsOf(request, context).ceilings ?? {}
  const limit = approval ?? sandbox
  if (limit !== undefined) throw approvalNotAllowed({ setting: limit.setting })
}

/** The execution, if the sender of the request may see it. */
export async function findExecution(id: string, request: FastifyRequest, context: ServerContext): Promise<Execution> {
  const keyId = keyThatSees(request, context)
  const running = context.executions.find(id)
  if (running === undefined) return await context.executionStore.find(id, keyId)
  // Whether another key has such an execution is not revealed.
  if (keyId !== undefined && running.key_id !== keyId) throw executionNotFound({ id })
  return running
}

async function ofKey(
  approvals: readonly PendingApproval[],
  keyId: string | undefined,
  { executionStore }: ServerContext,
): Promise<PendingApproval[]> {
  if (keyId === undefined) return [...approvals]
  const executions = await Promise.all(approvals.map(({ execution_id: id }) => executionStore.find(id)))
  return approvals.filter((_, at) => executions[at]?.key_id === keyId)
}

/** A browser's `EventSource` sends it when it connects again. */
export function lastEventId({ headers }: FastifyRequest): number | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
