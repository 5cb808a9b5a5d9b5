/** Runs the prompt of a compatible request. Headers of the response tell what its body has no place for. */
import type { FastifyReply } from 'fastify'
import { type Backend, NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import { backendNames } from '../../agents/locate-agents.ts'
import { mayUseBackend } from '../../prompts/ceilings.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { ToolAnswer } from '../../service/drover-service.ts'
import { toRequestCaller } from '../context/sender.ts'
import { type ApiStyle, findApiStyle } from '../errors/api-style.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { Exchange } from '../executions/requested-execution.ts'
import { type PromptReply, type ReplyFormat, type SentExecution, sendPrompt } from '../response/send-prompt.ts'
import type { ClientTools } from './client-tools.ts'
import { type ChosenBackend, chooseBackend, chooseInSession, type PromptTarget, readTarget } from './prompt-target.ts'
import { type ReplyWriter, replyFormat } from './reply.ts'

/** A compatible request that has been read. */
export type CompatiblePrompt = {
  model: string
  choice: ChosenBackend
  prompt: PromptRequest
  isStream: boolean
  /** The fields that were ignored and would have changed the answer. */
  ignored: readonly string[]
  /** The results of calls that a turn may wait for. If none does, the prompt has them too. */
  answer?: Omit<ToolAnswer, 'request'> | undefined
}

/** How a request is read: which backend a model selects, where its prompt runs, and what becomes of tools. */
export type ReadOptions = { choose: (model: string) => ChosenBackend; target: PromptTarget; clientTools: ClientTools }

/** Throws a Fault for a header that names no session. From the choice on, errors name the backend too. */
export async function readOptions({ request, reply, context }: Exchange): Promise<ReadOptions> {
  const target = await readTarget(request.headers, await context.drover.sessions.of(toRequestCaller(request, context)))
  const chooseByRules = chooseFor({ request, context }, findApiStyle(request.url, request.headers))
  const choose = (model: string) => {
    const choice = chooseInSession(chooseByRules(model), model, target)
    reply.header('x-drover-backend', choice.backend)
    const located = context.drover.agents.find(choice.backend)
    return located === undefined ? choice : { ...choice, takesImages: located.agent.abilities.images }
  }
  return { target, choose, clientTools: context.config.server.client_tools }
}

/**
 * Throws a Fault for a model that no rule matches, if the operator wants that. An agent of the config that the sender may not use is as
 * one that does not exist: no answer tells that there is one.
 */
export function chooseFor(
  { request, context }: Pick<Exchange, 'request' | 'context'>,
  style: ApiStyle,
): (model: string) => ChosenBackend {
  const { server, backends } = context.config
  const { ceilings } = toRequestCaller(request, context)
  const isKnown = (name: Backend) => NATIVE_BACKENDS.some((each) => each === name) || mayUseBackend(name, ceilings)
  const names = backendNames(backends).filter(isKnown)
  return (model) => {
    const choice = chooseBackend(model, {
      names,
      rules: server.model_rules,
      isAlias: (backend, name) => Object.hasOwn(backends[backend]?.model_aliases ?? {}, name),
    })
    if (choice.isDefault === true && server.unknown_models === 'refuse')
      throw modelNotFound({ model, list: style === 'message' ? '/anthropic/v1/models' : '/openai/v1/models' })
    return choice
  }
}

/** `toWriter` gets the id and the time of the execution. Returns what the Fastify handler has to return. */
export async function sendReply(
  exchange: Exchange,
  asked: CompatiblePrompt,
  toWriter: (execution: { id: string; createdAt: string }) => ReplyWriter,
): Promise<object> {
  const { prompt } = asked
  const isChecked = prompt.output_schema !== undefined || prompt.clientTools?.choice.must === true
  const isPart = prompt.clientTools !== undefined
  return await sendCompatible(exchange, asked, {
    prompt,
    answer: asked.answer,
    // The agent stores no session, but the execution is stored.
    isEphemeral: false,
    toFormat: (execution, hooks) =>
      replyFormat(prompt.prompt, toWriter(execution), { ...asked, ...hooks, isChecked, isPart }),
  })
}

/** What a format calls before anything is sent. */
export type ReplyHooks = { onSession(id: string): void; onWarnings(warnings: readonly string[]): void }

type CompatibleReply = Omit<PromptReply, 'toFormat'> & {
  toFormat(execution: SentExecution, hooks: ReplyHooks): ReplyFormat
}

/** Sets the headers that every compatible API has. */
export async function sendCompatible(
  exchange: Exchange,
  asked: CompatiblePrompt,
  { toFormat, ...sent }: CompatibleReply,
): Promise<object> {
  const { ignored } = asked
  const ignoring = ignored.length > 0 ? [`ignored: ${ignored.join(', ')}`] : []
  const onWarnings = (warnings: readonly string[]) =>
    announce(exchange.reply, { ...asked, warnings: [...ignoring, ...warnings] })
  onWarnings([])
  const onSession = (id: string) => {
    if (id !== '') exchange.reply.header('x-drover-session', id)
  }
  return await sendPrompt(exchange, {
    ...sent,
    toFormat: (execution) => toFormat(execution, { onSession, onWarnings }),
  })
}

type Announcement = { model: string; choice: ChosenBackend; warnings: readonly string[] }

/** Tells the client which backend answers, and what is different from what it may expect. */
export function announce(reply: FastifyReply, { model, choice, warnings }: Announcement): void {
  const { backend, isDefault } = choice
  const noRule = `no rule matches the model ${JSON.stringify(model)}; ${backend} answers with its own model`
  const all = [...(isDefault ? [noRule] : []), ...warnings]
  reply.header('x-drover-backend', backend)
  if (all.length > 0) reply.header('x-drover-warning', toHeaderText(all.join('; ')))
}

/** Headers are ASCII. Other characters are escaped as in JSON. */
function toHeaderText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
