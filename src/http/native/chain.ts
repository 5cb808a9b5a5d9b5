/** `POST /api/v1/chain` */
import { requestChecker } from '../../kit/omit-empty.ts'
import { validateChainRequest } from '../../prompts/checks.generated.js'
import type { ChainRequest } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendBatch } from '../response/send-batch.ts'

const checkChain = requestChecker<ChainRequest>('the request', validateChainRequest)

export const registerChain: RegisterRoutes = (scope, context) => {
  scope.post('/chain', async (request, reply) => {
    const chain = checkBody(request.body, checkChain)
    const backends = chain.steps.map(({ backend }) => backend)
    const prompts = chain.steps.map(({ prompt }) => prompt)
    return await sendBatch({ request, reply, context }, { backends, prompts }, (by, options) =>
      context.drover.batches.chain(by, chain, options),
    )
  })
}
