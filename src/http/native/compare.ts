/** `POST /api/v1/compare` and `POST /api/v1/compare/keep` */
import { requestChecker } from '../../kit/omit-empty.ts'
import { validateCompareRequest, validateKeepRequest } from '../../prompts/checks.generated.js'
import type { CompareRequest, KeepRequest } from '../../prompts/prompt-request.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { sendBatch } from '../response/send-batch.ts'
import { sendJson } from '../response/send-json.ts'

const checkCompare = requestChecker<CompareRequest>('the request', validateCompareRequest)
const checkKeep = requestChecker<KeepRequest>('the request', validateKeepRequest)

export const registerCompare: RegisterRoutes = (scope, context) => {
  scope.post('/compare', async (request, reply) => {
    const comparison = checkBody(request.body, checkCompare)
    const { backends, prompt } = comparison
    return await sendBatch({ request, reply, context }, { backends, prompts: [prompt] }, (by, options) =>
      context.drover.batches.compare(by, comparison, options),
    )
  })

  scope.post('/compare/keep', async (request, reply) => {
    const wanted = checkBody(request.body ?? {}, checkKeep)
    const signal = abortOnDisconnect(reply.raw, context)
    return sendJson(reply, await context.drover.batches.keep(toRequestCaller(request, context), wanted, signal))
  })
}
