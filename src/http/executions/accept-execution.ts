import type { ExecutionAccepted } from '../../executions/store/execution.shape.ts'
import { USER } from '../../prompts/caller.ts'
import type { ServerContext } from '../context/server-context.ts'
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
  return { execution_id: id, ...(await readProgress(id, context)), links: toLinks(id) }
}

async function readProgress(id: string, { drover }: ServerContext) {
  const { state, session_id: sessionId = '' } = await drover.executions.find(USER, id)
  return { session_id: sessionId, state }
}

function toLinks(id: string): ExecutionAccepted['links'] {
  const self = `/api/v1/executions/${id}`
  return { self, events: `${self}/events`, cancel: `${self}/cancel` }
}
