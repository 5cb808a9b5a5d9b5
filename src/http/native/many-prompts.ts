/** Calls that run several prompts. They are stateless, and what is wrong with one part never voids the whole. */
import { checker } from '../../kit/schema.ts'
import {
  validateChainRequest,
  validateCompareRequest,
  validateParallelRequest,
} from '../../prompts/checks.generated.js'
import { compareAgents } from '../../prompts/compare-agents.ts'
import type { ChainRequest, CompareRequest, ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import { runChain } from '../../prompts/run-chain.ts'
import { runParallel } from '../../prompts/run-parallel.ts'
import { clientGone } from '../client-gone.ts'
import { checkBody } from '../read-body.ts'
import type { RegisterRoutes } from '../routes.ts'

const checkParallel = checker<ParallelRequest>('the request', validateParallelRequest)
const checkChain = checker<ChainRequest>('the request', validateChainRequest)
const checkCompare = checker<CompareRequest>('the request', validateCompareRequest)

export const registerManyPrompts: RegisterRoutes = (scope, { prompts }) => {
  scope.post('/parallel', ({ body }, { raw }) =>
    runParallel(checkBody(body, checkParallel), prompts, { signal: clientGone(raw) }),
  )
  scope.post('/chain', ({ body }, { raw }) =>
    runChain(checkBody(body, checkChain), prompts, { signal: clientGone(raw) }),
  )
  scope.post('/compare', ({ body }, { raw }) =>
    compareAgents(checkBody(body, checkCompare), prompts, { signal: clientGone(raw) }),
  )
}
