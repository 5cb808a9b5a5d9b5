/** `POST /api/v1/parallel` */
import { requestChecker } from '../../kit/omit-empty.ts'
import { validateParallelRequest } from '../../prompts/checks.generated.js'
import type { ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendBatch } from '../response/send-batch.ts'

const checkParallel = requestChecker<ParallelRequest>('the request', validateParallelRequest)

export const registerParallel: RegisterRoutes = (scope, context) => {
  scope.post('/parallel', async (request, reply) => {
    const batch = checkBody(request.body, checkParallel)
    const backends = batch.tasks.map(({ backend }) => backend)
    const prompts = batch.tasks.map(({ prompt }) => prompt)
    return await sendBatch({ request, reply, context }, { backends, prompts }, (by, options) =>
      context.drover.batches.parallel(by, batch, options),
    )
  })
}
