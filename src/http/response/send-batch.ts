import type { FastifyReply } from 'fastify'
import type { Caller } from '../../prompts/caller.ts'
import type { BatchStart, RunningBatch } from '../../service/drover-service.ts'
import { toRequestCaller } from '../context/sender.ts'
import { acceptExecution } from '../executions/accept-execution.ts'
import { type Exchange, releaseOnFault, requestExecution } from '../executions/requested-execution.ts'
import { abortOnDisconnect } from './disconnects.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'

type BatchResult = { results: readonly { output: string }[] }

/** Runs several prompts and records them for the access log. Returns what the Fastify handler has to return. */
export async function sendBatch<Result extends BatchResult>(
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
  if (isDetached) return await acceptExecution(exchange, execution)
  return sendResult(exchange, (await running.result()) as Result)
}

function sendResult({ request, reply }: Exchange, result: BatchResult): object | FastifyReply {
  const answers = result.results.map(({ output }) => output)
  request.facts.answers = answers
  return answers.some((answer) => answer.length >= LARGE_OUTPUT) ? sendJson(reply, result) : result
}
