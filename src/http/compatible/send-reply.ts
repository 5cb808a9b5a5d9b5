/** Runs the prompt of a compatible request. Headers of the response tell what its body has no place for. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { ServerContext } from '../context/server-context.ts'
import { sendPrompt } from '../response/send-prompt.ts'
import { type Choice, chooseBackend } from './choose-backend.ts'
import { type ReplyWriter, replyFormat } from './reply.ts'

type Exchange = { request: FastifyRequest; reply: FastifyReply; context: ServerContext }

/** A compatible request that has been read. */
export type CompatiblePrompt = {
  model: string
  choice: Choice
  prompt: PromptRequest
  isStream: boolean
  /** The fields that were ignored and would have changed the answer. */
  ignored: readonly string[]
}

export function chooseFor({ config: { server, backends } }: ServerContext): (model: string) => Choice {
  return (model) =>
    chooseBackend(model, {
      rules: server.model_rules,
      isAlias: (backend, name) => Object.hasOwn(backends[backend].model_aliases, name),
    })
}

/** Returns what the Fastify handler has to return. */
export async function sendReply(exchange: Exchange, asked: CompatiblePrompt, writer: ReplyWriter): Promise<object> {
  const { choice, prompt } = asked
  const warnings = warningsOf(asked)
  exchange.reply.header('x-drover-backend', choice.backend)
  if (warnings.length > 0) exchange.reply.header('x-drover-warning', toHeaderText(warnings.join('; ')))
  return await sendPrompt(exchange, prompt, replyFormat(prompt.prompt, writer, asked))
}

export function warningsOf({
  model,
  choice,
  ignored,
}: Pick<CompatiblePrompt, 'model' | 'choice' | 'ignored'>): string[] {
  const { backend, isDefault } = choice
  return [
    ...(isDefault ? [`no rule matches the model ${JSON.stringify(model)}; ${backend} answers with its own model`] : []),
    ...(ignored.length > 0 ? [`ignored: ${ignored.join(', ')}`] : []),
  ]
}

/** Headers are ASCII. Other characters are escaped as in JSON. */
export function toHeaderText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
