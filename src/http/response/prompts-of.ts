import type { FastifyRequest } from 'fastify'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { ceilingsFor } from '../context/ceilings.ts'
import { isOnNetwork } from '../context/exposure.ts'
import type { ServerContext } from '../context/server-context.ts'

/** The context for the prompts of a request: agents continue its trace, and its key limits their modes. */
export function promptsOf({ facts, server }: FastifyRequest, { prompts, config, keys }: ServerContext): PromptContext {
  const isOpen = !keys.isRequired && isOnNetwork(server.server.address())
  const ceilings = ceilingsFor({ server: config.server, key: facts.key, isOpen })
  if (facts.trace === undefined && ceilings === undefined && facts.key === undefined) return prompts
  const client = facts.key?.name ?? ''
  return { ...prompts, ceilings, client, ...(facts.trace !== undefined && { trace: facts.trace }) }
}
