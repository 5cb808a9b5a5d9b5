import type { ServerContext } from '../context/server-context.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import { checkBody } from '../request/read-body.ts'
import { answerPrompt } from '../response/answer-prompt.ts'
import { chatForm } from './completion.ts'
import { toChat } from './to-chat.ts'
import type { Model } from './wire.shape.ts'

/** Random hexadecimal digits behind the prefix: twice as many. */
const ID_BYTES = 16

export const registerChat: RegisterRoutes = (scope, context) => {
  scope.get('/models', async () => ({ object: 'list', data: listModels(context) }))

  scope.get<{ Params: { id: string } }>('/models/:id', async ({ params: { id } }) => {
    const model = listModels(context).find((known) => known.id === id)
    if (model === undefined) throw modelNotFound({ model: id })
    return model
  })

  scope.post('/chat/completions', async (request, reply) => {
    const chat = checkBody(request.body, toChat)
    const id = `chatcmpl-${context.ids.hex(ID_BYTES)}`
    const form = chatForm({ id, created: seconds(context.clock.now()), model: chat.model }, chat)
    return await answerPrompt({ request, reply, context }, chat.prompt, form)
  })
}

/** The backends that are not hidden, whether installed or not, in canonical order. */
function listModels({ agents, startedAt }: ServerContext): Model[] {
  const created = seconds(startedAt)
  return agents
    .list()
    .filter(({ isEnabled }) => isEnabled)
    .map(({ backend }) => ({ id: backend, object: 'model', created, owned_by: 'drover' }))
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000)
}
