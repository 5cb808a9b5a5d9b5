/** `POST /api/v1/parallel`, `/chain`, `/compare` and `/compare/keep`; `GET /api/v1/compare/:id` and its diff */
import { requestChecker } from '../../kit/omit-empty.ts'
import { checker } from '../../kit/schema.ts'
import {
  validateChainRequest,
  validateCompareRequest,
  validateKeepRequest,
  validateParallelRequest,
} from '../../prompts/checks.generated.js'
import type { ChainRequest, CompareRequest, KeepRequest, ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'
import { validateComparedQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { sendBatch } from '../response/send-batch.ts'
import { sendJson } from '../response/send-json.ts'
import type { ComparedQuery } from './batches.shape.ts'

const checkParallel = requestChecker<ParallelRequest>('the request', validateParallelRequest)
const checkChain = requestChecker<ChainRequest>('the request', validateChainRequest)
const checkCompare = requestChecker<CompareRequest>('the request', validateCompareRequest)
const checkComparedQuery = checker<ComparedQuery>('the query', validateComparedQuery)
const checkKeep = requestChecker<KeepRequest>('the request', validateKeepRequest)

export const registerBatches: RegisterRoutes = (scope, context) => {
  const { batches } = context.drover

  scope.post('/parallel', async (request, reply) => {
    const batch = checkBody(request.body, checkParallel)
    return await sendBatch({ request, reply, context }, toParts(batch.tasks), (by, options) =>
      batches.parallel(by, batch, options),
    )
  })

  scope.post('/chain', async (request, reply) => {
    const chain = checkBody(request.body, checkChain)
    return await sendBatch({ request, reply, context }, toParts(chain.steps), (by, options) =>
      batches.chain(by, chain, options),
    )
  })

  scope.post('/compare', async (request, reply) => {
    const comparison = checkBody(request.body, checkCompare)
    const { backends, prompt } = comparison
    return await sendBatch({ request, reply, context }, { backends, prompts: [prompt] }, (by, options) =>
      batches.compare(by, comparison, options),
    )
  })

  scope.get<{ Params: { id: string } }>('/compare/:id', async (request, reply) => {
    const signal = abortOnDisconnect(reply.raw, context)
    return sendJson(reply, await batches.comparison(toRequestCaller(request, context), request.params.id, signal))
  })

  scope.get<{ Params: { id: string } }>('/compare/:id/diff', async (request, reply) => {
    const { name } = readQuery(request.query, checkComparedQuery, [])
    const signal = abortOnDisconnect(reply.raw, context)
    const wanted = { id: request.params.id, name }
    return sendJson(reply, await batches.diff(toRequestCaller(request, context), wanted, signal))
  })

  scope.post('/compare/keep', async (request, reply) => {
    const wanted = checkBody(request.body ?? {}, checkKeep)
    const signal = abortOnDisconnect(reply.raw, context)
    return sendJson(reply, await batches.keep(toRequestCaller(request, context), wanted, signal))
  })
}

function toParts(prompts: ParallelRequest['tasks'] | ChainRequest['steps']) {
  return { backends: prompts.map(({ backend }) => backend), prompts: prompts.map(({ prompt }) => prompt) }
}
