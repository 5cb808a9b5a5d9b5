import type { ExecutionAccepted } from '../../executions/store/execution.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { Exchange, RequestedExecution } from './requested-execution.ts'

/** The response to a client that does not wait for the result. */
export async function acceptExecution(
  { request, reply, context }: Exchange,
  { id }: RequestedExecution,
): Promise<ExecutionAccepted> {
  // The client may ask for it at once, also through another process.
  await context.drover.executions.save()
  void reply.code(202)
  if (request.headers.prefer !== undefined) void reply.header('preference-applied', 'respond-async')
  const { state, session_id = '' } = await context.drover.executions.find(toRequestCaller(request, context), id)
  return { execution_id: id, session_id, state, links: toLinks(id) }
}

function toLinks(id: string): ExecutionAccepted['links'] {
  const self = `/api/v1/executions/${id}`
  return { self, events: `${self}/events`, cancel: `${self}/cancel` }
}
