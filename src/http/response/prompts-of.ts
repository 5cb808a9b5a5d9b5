import type { FastifyRequest } from 'fastify'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { ServerContext } from '../context/server-context.ts'

/** The context for the prompts of a request: agents continue its trace. */
export function promptsOf({ facts }: FastifyRequest, { prompts }: ServerContext): PromptContext {
  return facts.trace === undefined ? prompts : { ...prompts, trace: facts.trace }
}
