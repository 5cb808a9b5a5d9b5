/** The one way to answer a prompt over HTTP: bit by bit as the agent speaks, or whole when it has ended. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import { runPrompt, runPromptToEnd } from '../../prompts/run-prompt.ts'
import type { ServerContext } from '../context/server-context.ts'
import { factsOf } from '../request/request-facts.ts'
import { givenUp } from './given-up.ts'
import { type StreamStyle, sendStream } from './send-stream.ts'

type Call = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }

/** How the answer looks. `toBody` may throw a Fault, which is then the answer. */
export type AnswerForm = StreamStyle | { toBody(result: PromptResult): object }

/** Gives what the route has to return. */
export async function answerPrompt(call: Call, prompt: PromptRequest, form: AnswerForm): Promise<object> {
  const { request, reply, context } = call
  const facts = factsOf(request)
  facts.backends = [prompt.backend]
  facts.prompts = [prompt.prompt]
  const signal = givenUp(reply.raw, context)
  if ('toBody' in form) {
    const result = await runPromptToEnd(prompt, context.prompts, { signal })
    facts.answers = [result.output]
    return form.toBody(result)
  }
  const course = runPrompt({ ...prompt, wantsDeltas: true }, context.prompts, { signal })
  const result = await sendStream({ reply, course }, form, limitsOf(context))
  facts.answers = [result.output]
  return reply
}

function limitsOf({ config, heartbeatMs }: ServerContext) {
  return { heartbeatMs, writeTimeoutMs: config.server.write_timeout_secs * 1000 }
}
