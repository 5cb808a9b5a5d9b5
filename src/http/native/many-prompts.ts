/** Calls that run several prompts. They are stateless, and what is wrong with one part never voids the whole. */
import type { FastifyRequest } from 'fastify'
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
import type { RegisterRoutes } from '../register-routes.ts'
import { checkBody } from '../request/read-body.ts'
import { factsOf, type RequestFacts } from '../request/request-facts.ts'
import { givenUp } from '../response/given-up.ts'

const checkParallel = checker<ParallelRequest>('the request', validateParallelRequest)
const checkChain = checker<ChainRequest>('the request', validateChainRequest)
const checkCompare = checker<CompareRequest>('the request', validateCompareRequest)

export const registerManyPrompts: RegisterRoutes = (scope, context) => {
  const { prompts } = context

  scope.post('/parallel', async (request, { raw }) => {
    const asked = checkBody(request.body, checkParallel)
    return await noted(request, askedBy(asked.tasks), () =>
      runParallel(asked, prompts, { signal: givenUp(raw, context) }),
    )
  })

  scope.post('/chain', async (request, { raw }) => {
    const asked = checkBody(request.body, checkChain)
    return await noted(request, askedBy(asked.steps), () => runChain(asked, prompts, { signal: givenUp(raw, context) }))
  })

  scope.post('/compare', async (request, { raw }) => {
    const asked = checkBody(request.body, checkCompare)
    return await noted(request, { backends: asked.backends, prompts: [asked.prompt] }, () =>
      compareAgents(asked, prompts, { signal: givenUp(raw, context) }),
    )
  })
}

type Asked = Required<Pick<RequestFacts, 'backends' | 'prompts'>>

function askedBy(parts: readonly { backend: string; prompt: string }[]): Asked {
  return { backends: parts.map(({ backend }) => backend), prompts: parts.map(({ prompt }) => prompt) }
}

/** Lets the access log know who was asked what, and what came of it. */
async function noted<Result extends { results: readonly { output: string }[] }>(
  request: FastifyRequest,
  asked: Asked,
  run: () => Promise<Result>,
): Promise<Result> {
  const facts = Object.assign(factsOf(request), asked)
  const result = await run()
  facts.answers = result.results.map(({ output }) => output)
  return result
}
