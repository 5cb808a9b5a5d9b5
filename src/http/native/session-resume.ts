/** `POST /api/v1/sessions/{id}/resume` */
import { requestChecker } from '../../kit/schema.ts'
import { validateResumeRequest } from '../../prompts/checks.generated.js'
import type { ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendPrompt } from '../response/send-prompt.ts'
import { nativeFormat } from './prompt.ts'

const checkResume = requestChecker<ResumeRequest>('the request', validateResumeRequest)

export const registerResume: RegisterRoutes = (scope, context) => {
  scope.post<{ Params: { id: string } }>('/sessions/:id/resume', async (request, reply) => {
    const { fork = false, detach = false, ...body } = checkBody(request.body, checkResume)
    const by = toRequestCaller(request, context)
    const prompt = await context.drover.sessions.continuing(by, { id: request.params.id, fork, ...body })
    return await sendPrompt(
      { request, reply, context },
      { prompt, detach, toFormat: () => nativeFormat(prompt, context) },
    )
  })
}
