/** `POST /api/v1/parallel`, `/chain`, `/compare` and `/compare/keep`; `GET /api/v1/compare`, `/compare/:id` and its diff */
import type { FastifyReply } from 'fastify'
import { checker, requestChecker } from '../../kit/schema.ts'
import type { Caller } from '../../prompts/caller.ts'
import {
  validateChainRequest,
  validateCompareRequest,
  validateKeepRequest,
  validateParallelRequest,
} from '../../prompts/checks.generated.js'
import type { ChainRequest, CompareRequest, KeepRequest, ParallelRequest } from '../../prompts/prompt-request.shape.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { BatchStart, RunningBatch } from '../../service/drover-service.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { acceptExecution, type Exchange, releaseOnFault, requestExecution } from '../executions/requested-execution.ts'
import { checkBody } from '../request/body.ts'
import { validateComparedQuery, validateComparisonsQuery } from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { LARGE_OUTPUT, sendJson } from '../response/send-json.ts'
import { logFailures } from '../response/send-prompt.ts'
import type { ComparedQuery, ComparisonsQuery } from './batches.shape.ts'

const checkParallel = requestChecker<ParallelRequest>('the request', validateParallelRequest)
const checkChain = requestChecker<ChainRequest>('the request', validateChainRequest)
const checkCompare = requestChecker<CompareRequest>('the request', validateCompareRequest)
const checkComparedQuery = checker<ComparedQuery>('the query', validateComparedQuery)
const checkComparisonsQuery = checker<ComparisonsQuery>('the query', validateComparisonsQuery)
const checkKeep = requestChecker<KeepRequest>('the request', validateKeepRequest)

const DEFAULT_LIMIT = 20

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

  scope.get('/compare', async (request, reply) => {
    const { limit = DEFAULT_LIMIT, offset = 0 } = readQuery(request.query, checkComparisonsQuery, ['limit', 'offset'])
    const signal = abortOnDisconnect(reply.raw, context)
    return sendJson(reply, await batches.comparisons(toRequestCaller(request, context), { limit, offset }, signal))
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

type BatchResult = { results: readonly PromptResult[] }

/** Runs several prompts and records them for the access log. Returns what the Fastify handler has to return. */
async function sendBatch<Result extends BatchResult>(
  exchange: Exchange,
  { backends, prompts }: { backends: readonly string[]; prompts: readonly string[] },
  start: (by: Caller, options: BatchStart) => Promise<RunningBatch<Result>>,
): Promise<object> {
  const { request, reply, context } = exchange
  Object.assign(request.facts, { backends, prompts })
  const execution = await requestExecution(exchange, { detach: false })
  const { id, isInBackground, isDetached, isRepeat } = execution
  const signal = abortOnDisconnect(reply.raw, context)
  const by = toRequestCaller(request, context)
  const running = isRepeat
    ? await context.drover.attachBatch(by, id, signal)
    : await start(by, {
        ...{ id, signal, isInBackground, isDetached },
        settle: (work) => releaseOnFault(work, execution),
        onBegin: () => void reply.header('x-execution-id', id),
      })
  const result = running.result() as Promise<Result>
  const isLogged = isRepeat
    ? undefined
    : logFailures(
        exchange,
        result.then(({ results }) => results),
      )
  if (isDetached) return await acceptExecution(exchange, execution)
  await isLogged
  return sendResult(exchange, await result)
}

function sendResult({ request, reply }: Exchange, result: BatchResult): object | FastifyReply {
  const answers = result.results.map(({ output }) => output)
  request.facts.answers = answers
  return answers.some((answer) => answer.length >= LARGE_OUTPUT) ? sendJson(reply, result) : result
}
