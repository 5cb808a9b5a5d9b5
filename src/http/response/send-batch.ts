import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { ServerContext } from '../context/server-context.ts'
import { abortOnDisconnect } from './abort-on-disconnect.ts'
import { promptsOf } from './prompts-of.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'

type Exchange = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }
type BatchResult = { results: readonly { output: string }[] }

/** Runs several prompts and records them for the access log. Returns what the Fastify handler has to return. */
export async function sendBatch<Result extends BatchResult>(
  { request, reply, context }: Exchange,
  { backends, prompts }: { backends: readonly string[]; prompts: readonly string[] },
  run: (prompts: PromptContext, options: { signal: AbortSignal }) => Promise<Result>,
): Promise<Result | FastifyReply> {
  const facts = Object.assign(request.facts, { backends, prompts })
  const result = await run(promptsOf(request, context), { signal: abortOnDisconnect(reply.raw, context) })
  facts.answers = result.results.map(({ output }) => output)
  const isLarge = facts.answers.some((answer) => answer.length >= LARGE_OUTPUT)
  return isLarge ? sendJson(reply, result) : result
}
