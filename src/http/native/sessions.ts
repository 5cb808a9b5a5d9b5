/** `GET /api/v1/sessions`, `GET`, `PATCH` and `DELETE /api/v1/sessions/{id}`, and `POST …/resume` */
import type { FastifyRequest } from 'fastify'
import type { SessionDetail } from '../../executions/session-turn.shape.ts'
import { MAX_TURNS } from '../../executions/session-turns.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { checker, requestChecker } from '../../kit/schema.ts'
import { validateResumeRequest } from '../../prompts/checks.generated.js'
import type { ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import type { SessionService } from '../../service/drover-service.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { SessionEdit, SessionFilter } from '../../sessions/session-store.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import {
  validateSessionDetailQuery,
  validateSessionEditRequest,
  validateSessionQuery,
} from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { sendJson } from '../response/send-json.ts'
import { sendPrompt } from '../response/send-prompt.ts'
import { nativeFormat } from './prompt.ts'
import type { SessionDeleted, SessionDetailQuery, SessionListQuery } from './sessions.shape.ts'

type ById = { Params: { id: string } }

export const registerSessions: RegisterRoutes = (scope, context) => {
  const { config, drover } = context
  const sessionsOf = (request: FastifyRequest) => drover.sessions.of(toRequestCaller(request, context))

  scope.get('/sessions', async (request, reply) => {
    const { filter, page } = readSessionQuery(request.query)
    checkBackend(filter.backend, Object.keys(config.backends))
    return sendJson(reply, await (await sessionsOf(request)).list(filter, page))
  })

  scope.get<ById>('/sessions/:id', async (request, reply) => {
    const { turns = 'false' } = readQuery(request.query, checkDetailQuery, [])
    const session = await (await sessionsOf(request)).find(request.params.id)
    if (turns !== 'true') return sendJson(reply, session)
    const latest = await drover.sessions.latestTurns(toRequestCaller(request, context), session.id, MAX_TURNS)
    return sendJson(reply, withTurns(session, latest))
  })

  scope.patch<ById>('/sessions/:id', async (request, reply) => {
    const change = checkBody(request.body, checkEdit)
    return sendJson(reply, await (await sessionsOf(request)).edit(request.params.id, change))
  })

  scope.delete<ById>('/sessions/:id', async (request): Promise<SessionDeleted> => {
    return { deleted: true, id: await (await sessionsOf(request)).delete(request.params.id) }
  })

  scope.post<ById>('/sessions/:id/resume', async (request, reply) => {
    const { fork = false, detach = false, ...body } = checkBody(request.body, checkResume)
    const by = toRequestCaller(request, context)
    const prompt = await drover.sessions.continuing(by, { id: request.params.id, fork, ...body })
    return await sendPrompt(
      { request, reply, context },
      { prompt, detach, toFormat: () => nativeFormat(prompt, context) },
    )
  })
}

const checkDetailQuery = checker<SessionDetailQuery>('the query', validateSessionDetailQuery)

/** Someone who sees a session sees all its turns, even those of other keys. */
function withTurns(
  session: Session,
  { turns, older }: Awaited<ReturnType<SessionService['latestTurns']>>,
): SessionDetail {
  return { ...session, turns, ...(older > 0 && { older_turns: older }) }
}

const checkQuery = checker<SessionListQuery>('the query', validateSessionQuery)

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

const checkEdit = requestChecker<SessionEdit>('the request', validateSessionEditRequest)

const checkResume = requestChecker<ResumeRequest>('the request', validateResumeRequest)
