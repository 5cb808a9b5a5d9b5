/** `POST /api/v1/chain` */
import { checker } from '../../kit/schema.ts'
import { validateChainRequest } from '../../prompts/checks.generated.js'
import { omitEmpty } from '../../prompts/omit-empty.ts'
import type { ChainRequest } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendBatch } from '../response/send-batch.ts'

const checkChain = checker<ChainRequest>('the request', validateChainRequest)

export const registerChain: RegisterRoutes = (scope, context) => {
  scope.post('/chain', async (request, reply) => {
    const chain = checkBody(omitEmpty(request.body), checkChain)
    const backends = chain.steps.map(({ backend }) => backend)
    const prompts = chain.steps.map(({ prompt }) => prompt)
    return await sendBatch({ request, reply, context }, { backends, prompts }, (by, options) =>
      context.drover.batches.chain(by, chain, options),
    )
  })
}
