import type { RegisterRoutes } from '../register-routes.ts'
import { checkBody } from '../request/read-body.ts'
import { answerPrompt } from '../response/answer-prompt.ts'
import { checkApiVersion } from './api-version.ts'
import { messageForm } from './message.ts'
import { toMessageTask } from './to-message-task.ts'

/** Random hexadecimal digits behind the prefix: twice as many. */
const ID_BYTES = 16

export const registerMessages: RegisterRoutes = (scope, context) => {
  scope.post('/messages', async (request, reply) => {
    checkApiVersion(request.headers['anthropic-version'], { isRequired: context.config.server.require_api_version })
    const asked = checkBody(request.body, toMessageTask)
    const form = messageForm({ id: `msg_${context.ids.hex(ID_BYTES)}`, model: asked.model }, asked)
    return await answerPrompt({ request, reply, context }, asked.prompt, form)
  })
}
