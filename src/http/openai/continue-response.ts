/** Decides how a response continues after an earlier one: in its session, or in a new one that gets the conversation as text. */
import type { FastifyRequest } from 'fastify'
import { carryTurns, type TurnId } from '../../executions/carry-conversation.ts'
import { findTurns } from '../../executions/session-turns.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { isFault } from '../../kit/fault.ts'
import { USER, visibleKeyId } from '../../prompts/caller.ts'
import type { ConversationHistory } from '../../prompts/prompt-request.ts'
import { sessionNotFound } from '../../sessions/faults.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'
import { previousResponseNotFound, responseNotFound, responseRunning } from '../errors/faults.ts'
import { placeOfResponse, type ResponseRecord, readResponseRecord } from './response-record.ts'

export type ContinuedResponse =
  | { resumes: Session; ownsSession: boolean }
  | { history: ConversationHistory; forks: Session | undefined }
  | { newSessionId: string; metadata: Session['metadata'] }

/** The first turn of a conversation begins its session. */
export function continueConversation(session: Session): ContinuedResponse {
  const { id, metadata, turn_count: turns } = session
  return turns === 0 ? { newSessionId: id, metadata } : { resumes: session, ownsSession: false }
}

export async function findPrevious(
  id: string,
  request: FastifyRequest,
  context: ServerContext,
): Promise<FoundResponse> {
  const place = placeOfResponse(id)
  const previous = place && (await findVisible(place.executionId, request, context))
  if (previous === undefined) throw previousResponseNotFound({ id, place: 'previous_response_id' })
  if (previous.execution.ended_at === undefined) throw responseRunning({ id })
  return previous
}

type Wanted = {
  backend: string
  /** Whether the new response is stored. Otherwise it must not change the session. */
  isStored: boolean
}

export async function continueFrom(
  previous: FoundResponse,
  { backend, isStored }: Wanted,
  { request, context }: { request: FastifyRequest; context: ServerContext },
): Promise<ContinuedResponse> {
  const { drover } = context
  await drover.executions.save()
  const reader = { request, context }
  const session = await findSession(previous.execution.session_id, reader)
  if (session !== undefined && isStored && (await canGoOn(session, previous, { backend, context }))) {
    return { resumes: session, ownsSession: previous.record.owns_session }
  }
  const { kept, missing } = await turnsUpTo(previous, reader)
  const history = await carryTurns({ kept, missing }, drover.opened.executions, context.ids)
  const forks = session?.backend === backend ? session : undefined
  const note = 'the earlier responses were sent to a new session as text'
  return { history: { ...history, notes: [note, ...history.notes] }, forks }
}

/** The agent can resume only after the last turn of its own session. */
async function canGoOn(
  { id, backend, status, backend_session_id: agentSession }: Session,
  { execution }: FoundResponse,
  wanted: { backend: string; context: ServerContext },
): Promise<boolean> {
  if (backend !== wanted.backend || status === 'active' || agentSession === undefined) return false
  const { executions } = await wanted.context.drover.executions.list(USER, { session: id }, { limit: 1 })
  return executions[0]?.id === execution.id
}

/** Undefined if the sender does not see it: another key may have stopped sharing it. */
async function findSession(id: string | undefined, { request, context }: Reader): Promise<Session | undefined> {
  if (id === undefined) return undefined
  try {
    return await (await context.drover.sessions.of(toRequestCaller(request, context))).find(id)
  } catch (error) {
    if (isFault(error, sessionNotFound)) return undefined
    throw error
  }
}

/** More would be a loop. */
const MAX_SESSIONS = 100

type Reader = { request: FastifyRequest; context: ServerContext }

/**
 * The turns of the conversation, oldest first, and how many are no longer stored, as far as that is known. A session that
 * began with an earlier response has its turns too.
 */
export async function turnsUpTo(last: FoundResponse, reader: Reader): Promise<{ kept: TurnId[]; missing: number }> {
  const kept: TurnId[] = []
  let missing = 0
  let current: FoundResponse | undefined = last
  for (let count = 0; current !== undefined && count < MAX_SESSIONS; count += 1) {
    const { id, session_id: session, backend = '' }: FoundResponse['execution'] = current.execution
    const stored: Session | undefined = await findSession(session, reader)
    const all: string[] = session === undefined ? [id] : await findTurnsOf(session, stored, reader)
    const ids = all.slice(0, all.indexOf(id) + 1)
    kept.unshift(...ids.map((turn) => ({ id: turn, backend })))
    const gone = Math.max(0, (stored?.turn_count ?? 0) - all.length)
    const first: FoundResponse | undefined = await findVisible(ids[0] ?? id, reader.request, reader.context)
    current = await findEarlier(first, reader)
    const endsEarly = current === undefined && first?.record.previous_response_id !== undefined
    missing += gone === 0 && endsEarly ? 1 : gone
  }
  return { kept, missing }
}

/** All turns of a session that the sender sees; otherwise only its own. */
async function findTurnsOf(id: string, session: Session | undefined, { request, context }: Reader): Promise<string[]> {
  const keyId = session === undefined ? visibleKeyId(toRequestCaller(request, context)) : undefined
  return await findTurns(context.drover.opened.executions, { session: id, keyId })
}

async function findEarlier(response: FoundResponse | undefined, reader: Reader): Promise<FoundResponse | undefined> {
  const { request, context } = reader
  const id = response?.record.previous_response_id
  const place = id === undefined ? undefined : placeOfResponse(id)
  return place && (await findVisible(place.executionId, request, context))
}

/** `part`: which part of the turn of the execution it is. */
export type FoundResponse = { execution: Execution; record: ResponseRecord; part?: number }

/** Throws a Fault if there is none, or if it belongs to another key. */
export async function findResponse(
  id: string,
  request: FastifyRequest,
  context: ServerContext,
): Promise<FoundResponse> {
  const place = placeOfResponse(id)
  const found = place && (await findVisible(place.executionId, request, context))
  if (found === undefined) throw responseNotFound({ id })
  return { ...found, part: place?.part ?? 0 }
}

/** The same by the id of its execution; undefined if there is none. */
export async function findVisible(
  id: string,
  request: FastifyRequest,
  context: ServerContext,
): Promise<FoundResponse | undefined> {
  try {
    const execution = await context.drover.executions.find(toRequestCaller(request, context), id)
    const record = readResponseRecord(execution)
    return record?.store === true ? { execution, record } : undefined
  } catch (error) {
    if (isFault(error, executionNotFound)) return undefined
    throw error
  }
}
