/** `POST /api/v1/compare` */
import { checker } from '../../kit/schema.ts'
import { validateCompareRequest } from '../../prompts/checks.generated.js'
import { omitEmpty } from '../../prompts/omit-empty.ts'
import type { CompareRequest } from '../../prompts/prompt-request.shape.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { sendBatch } from '../response/send-batch.ts'

const checkCompare = checker<CompareRequest>('the request', validateCompareRequest)

export const registerCompare: RegisterRoutes = (scope, context) => {
  scope.post('/compare', async (request, reply) => {
    const comparison = checkBody(omitEmpty(request.body), checkCompare)
    const { backends, prompt } = comparison
    return await sendBatch({ request, reply, context }, { backends, prompts: [prompt] }, (by, options) =>
      context.drover.batches.compare(by, comparison, options),
    )
  })
}
