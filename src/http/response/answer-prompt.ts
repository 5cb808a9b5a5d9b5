/** The one way to answer a prompt over HTTP: bit by bit as the agent speaks, or whole when it has ended. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PromptTask } from '../../prompts/prepare-prompt.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { finishPrompt, runPrompt } from '../../prompts/run-prompt.ts'
import type { ServerContext } from '../context/server-context.ts'
import { factsOf } from '../request/request-facts.ts'
import { givenUp } from './given-up.ts'
import { type StreamStyle, sendStream } from './send-stream.ts'

type Call = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }

/** How the answer looks. `toBody` may throw a Fault, which is then the answer. */
export type AnswerForm = StreamStyle | { toBody(result: PromptResult): object }

/** What the client asked for, whichever form it wants to have it in. */
export type AskedPrompt = Omit<PromptTask, 'wantsDeltas'>

/** Gives what the route has to return. */
export async function answerPrompt(call: Call, asked: AskedPrompt, form: AnswerForm): Promise<object> {
  const { request, reply, context } = call
  const facts = factsOf(request)
  facts.backends = [asked.request.backend]
  facts.prompts = [asked.request.prompt]
  const running = { signal: givenUp(reply.raw, context) }
  if ('toBody' in form) {
    const result = await finishPrompt({ ...asked, wantsDeltas: false }, context.prompts, running)
    facts.answers = [result.output]
    return form.toBody(result)
  }
  const course = runPrompt({ ...asked, wantsDeltas: true }, context.prompts, running)
  const result = await sendStream({ reply, course }, form, limitsOf(context))
  facts.answers = [result.output]
  return reply
}

function limitsOf({ config, heartbeatMs }: ServerContext) {
  return { heartbeatMs, writeTimeoutMs: config.server.write_timeout_secs * 1000 }
}
