/** Runs a prompt and sends its result: as a stream of events, or as one body when the agent has finished. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { runPrompt, runPromptToEnd } from '../../prompts/run-prompt.ts'
import type { ServerContext } from '../context/server-context.ts'
import { abortOnDisconnect } from './abort-on-disconnect.ts'
import { promptsOf } from './prompts-of.ts'
import { LARGE_OUTPUT, sendJson } from './send-json.ts'
import { type StreamFormat, sendStream } from './send-stream.ts'

type Exchange = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }

/** `toBody` may throw a Fault, which is then sent as the error. */
export type ReplyFormat = StreamFormat | { toBody(result: PromptResult): object }

/** Returns what the Fastify handler has to return. */
export async function sendPrompt(exchange: Exchange, prompt: PromptRequest, format: ReplyFormat): Promise<object> {
  const { request, reply, context } = exchange
  const { facts } = request
  facts.backends = [prompt.backend]
  facts.prompts = [prompt.prompt]
  const prompts = promptsOf(request, context)
  const options = { signal: abortOnDisconnect(reply.raw, context) }
  if ('toBody' in format) {
    const result = await runPromptToEnd(prompt, prompts, options)
    facts.answers = [result.output]
    const body = format.toBody(result)
    // Serializing the answer of a prompt must not delay other requests.
    return result.output.length < LARGE_OUTPUT ? body : sendJson(reply, body)
  }
  const events = runPrompt({ ...prompt, wantsDeltas: true }, prompts, options)
  const writeTimeoutMs = context.config.server.write_timeout_secs * 1000
  const result = await sendStream({ reply, events }, format, { heartbeatMs: context.heartbeatMs, writeTimeoutMs })
  facts.answers = [result.output]
  return reply
}
