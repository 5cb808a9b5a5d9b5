/** `POST /api/v1/sessions/{id}/resume` */
import type { FastifyRequest } from 'fastify'
import { carryConversation } from '../../executions/carry-conversation.ts'
import { checker } from '../../kit/schema.ts'
import { validateResumeRequest } from '../../prompts/checks.generated.js'
import { resumeInvalid } from '../../prompts/faults.ts'
import { omitEmpty } from '../../prompts/omit-empty.ts'
import type { ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import type { ConversationHistory, PromptRequest } from '../../prompts/prompt-request.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import { sessionsOf } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendPrompt } from '../response/send-prompt.ts'
import { nativeFormat } from './prompt.ts'

const checkResume = checker<ResumeRequest>('the request', validateResumeRequest)

export const registerResume: RegisterRoutes = (scope, context) => {
  scope.post<{ Params: { id: string } }>('/sessions/:id/resume', async (request, reply) => {
    const { fork = false, detach = false, ...body } = checkBody(omitEmpty(request.body), checkResume)
    const prompt = await toNextPrompt(request, context, { id: request.params.id, fork, body })
    return await sendPrompt(
      { request, reply, context },
      { prompt, detach, toFormat: () => nativeFormat(prompt, context) },
    )
  })
}

type NextPrompt = { id: string; fork: boolean; body: Omit<ResumeRequest, 'fork' | 'detach'> }

/** The prompt that goes on with a session, or with a fork of it. */
export async function toNextPrompt(
  request: FastifyRequest,
  context: ServerContext,
  { id, fork, body }: NextPrompt,
): Promise<PromptRequest> {
  const sessions = sessionsOf(request, context)
  const session = await sessions.find(id)
  const { backend = session.backend } = body
  if (!fork && backend !== session.backend) throw resumeInvalid({ problem: needsFork(session) })
  // Metadata would change the session itself.
  if (!fork && body.metadata !== undefined) await sessions.requireOwn(session.id)
  const history = backend === session.backend ? undefined : await historyFor(session, sessions, context)
  return { ...body, backend, ...(fork ? { forks: session, history } : { resumes: session }) }
}

async function historyFor(
  session: Session,
  sessions: VisibleSessions,
  { executionStore: executions, ids }: ServerContext,
): Promise<ConversationHistory> {
  return await carryConversation(session, { sessions, executions }, { ids })
}

function needsFork({ backend }: Session): string {
  return `the session is one of ${backend}; another backend needs fork: true, which starts a new session`
}
