import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { resultOf } from '../../executions/replay.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { BatchOptions } from '../../prompts/run-batch.ts'
import { acceptExecution } from '../executions/accept-execution.ts'
import { type Exchange, releaseOnFault, requestExecution } from '../executions/requested-execution.ts'
import { abortOnDisconnect } from './abort-on-disconnect.ts'
import { promptsOf } from './prompts-of.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'

type BatchResult = { results: readonly { output: string }[] }

/** Runs several prompts and records them for the access log. Returns what the Fastify handler has to return. */
export async function sendBatch<Result extends BatchResult>(
  exchange: Exchange,
  { backends, prompts }: { backends: readonly string[]; prompts: readonly string[] },
  run: (prompts: PromptContext, options: Pick<BatchOptions, 'signal' | 'execution'>) => Promise<Result>,
): Promise<object> {
  const { request, reply, context } = exchange
  Object.assign(request.facts, { backends, prompts })
  const execution = await requestExecution(exchange, { detach: false })
  const { id, isInBackground, isRepeat } = execution
  const onBegin = () => void reply.header('x-execution-id', id)
  const start = (signal: AbortSignal) => run(promptsOf(request, context), { signal, execution: { id, onBegin } })
  const signal = abortOnDisconnect(reply.raw, context)
  if (!isInBackground) return sendResult(exchange, await start(signal))
  const started = isRepeat
    ? undefined
    : context.background.add(releaseOnFault(start(AbortSignal.any([context.drainDeadline])), execution))
  if (execution.isDetached) {
    // A batch that cannot be run is refused at once.
    await Promise.race([started, nextTurn()])
    return await acceptExecution(exchange, execution)
  }
  return sendResult(exchange, (await (started ?? resultOf(id, context, signal))) as Result)
}

function sendResult({ request, reply }: Exchange, result: BatchResult): object | FastifyReply {
  const answers = result.results.map(({ output }) => output)
  request.facts.answers = answers
  return answers.some((answer) => answer.length >= LARGE_OUTPUT) ? sendJson(reply, result) : result
}
