import { checker } from '../../kit/schema.ts'
import { validatePromptRequest, validateResumeRequest } from '../../prompts/checks.generated.js'
import type { PromptRequest, ResumeRequest } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import { checkBody } from '../request/read-body.ts'
import { answerPrompt } from '../response/answer-prompt.ts'
import { answerForm } from './answer-form.ts'

const checkPrompt = checker<PromptRequest>('the request', validatePromptRequest)
const checkResume = checker<ResumeRequest>('the request', validateResumeRequest)

export const registerPrompt: RegisterRoutes = (scope, context) => {
  scope.post('/prompt', async (request, reply) => {
    const prompt = checkBody(request.body, checkPrompt)
    return await answerPrompt({ request, reply, context }, prompt, answerForm(prompt, context))
  })

  scope.post<{ Params: { id: string } }>('/sessions/:id/resume', async (request, reply) => {
    const { fork, ...body } = checkBody(request.body, checkResume)
    const session = await context.store.find(request.params.id)
    const origin = fork === true ? { forks: session } : { resumes: session }
    const prompt = { ...body, backend: session.backend, ...origin }
    return await answerPrompt({ request, reply, context }, prompt, answerForm(prompt, context))
  })
}
