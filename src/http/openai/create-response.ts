/** Reads a request for a response: what the agent gets, and what is stored to send the response again. */

import { requestInvalid } from '../../kit/faults.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import { checker } from '../../kit/schema.ts'
import type { WireMessage } from '../../prompts/chat-messages.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { bridge, readTools } from '../compatible/client-tools.ts'
import { type IgnoredFields, namesOfIgnored } from '../compatible/ignored-fields.ts'
import { toOutputSchema } from '../compatible/output-format.ts'
import { type ChosenBackend, chooseInSession, type PromptTarget, toPromptRequest } from '../compatible/prompt-target.ts'
import { type CompatiblePrompt, readOptions } from '../compatible/send-reply.ts'
import type { Said } from '../compatible/tool-messages.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Exchange } from '../executions/requested-execution.ts'
import { validateResponseRequest } from '../request/checks.generated.js'
import {
  type ContinuedResponse,
  continueConversation,
  continueFrom,
  findPrevious,
  findVisible,
} from './continue-response.ts'
import { findConversation } from './conversations.ts'
import { readResponse } from './response-formats.ts'
import { type InputEntry, readInput, toStoredMessages } from './response-input.ts'
import { callOfItem, listInputMessages, namesAreShort, placeOfItem, type ResponseRecord } from './response-record.ts'
import type { ResponseRequest } from './responses.shape.ts'

type ExecutionSettings = ServerContext['config']['executions']

export type AskedResponse = CompatiblePrompt & { record: ResponseRecord }

const IGNORED_FIELDS: IgnoredFields = {
  max_output_tokens: null,
  max_tool_calls: null,
  temperature: 1,
  top_p: 1,
  top_logprobs: 0,
  truncation: 'disabled',
  'reasoning.effort': null,
  'text.verbosity': null,
}

const checkShape = checker<ResponseRequest>('the request', validateResponseRequest, [namesAreShort])

/** Throws a Fault for a request that contradicts itself, or that asks for something that no agent has. */
export function checkResponseRequest(body: unknown, { keep }: Pick<ExecutionSettings, 'keep'>): ResponseRequest {
  const request = checkShape(body)
  const { conversation, prompt, background, store } = request
  const refuse = (place: string, advice: string) => unsupportedFeature({ place, feature: place, advice })
  if (conversation && request.previous_response_id)
    throw requestInvalid('conversation', 'must not be sent together with previous_response_id')
  if (conversation && store === false) throw requestInvalid('conversation', 'needs store: its turns are stored')
  if (prompt) throw refuse('prompt', 'send the text as input')
  if (background === true && store === false) throw requestInvalid('background', 'must not be true if store is false')
  if (background === true && request.dry_run === true)
    throw requestInvalid('background', 'must not be true for a dry run')
  if (background === true && keep === 'none')
    throw refuse('background', 'this server stores nothing (executions.keep: none)')
  return request
}

export async function readResponseRequest(request: ResponseRequest, exchange: Exchange): Promise<AskedResponse> {
  const { target, choose, clientTools } = await readOptions(exchange)
  const { executions, unified_flags: flags } = exchange.context.config
  const isStored = request.store !== false && executions.keep !== 'none'
  // The agent answers nothing, so there is nothing that could be continued.
  const isDryRun = request.dry_run === true || flags.dry_run
  const { ignored: left, ...functions } = readTools(request, clientTools)
  const { entries, ignored } = readInput(request.input, { clientTools })
  const said = await resolveReferences(entries, exchange)
  const hasCalls = !(request.previous_response_id || request.conversation)
  const { messages, answer, clientTools: offered } = bridge(said, functions, { hasCalls })
  // A turn that waits is continued by its calls. The response before has not ended then.
  const by = toRequestCaller(exchange.request, exchange.context)
  const isKnown = answer !== undefined && (await exchange.context.drover.knowsCall(by, answer.callId))
  const continued = isKnown ? { ...request, previous_response_id: null, conversation: null } : request
  const { choice, continuation } = await findContinuation(continued, exchange, { choose, target, isStored })
  const format = request.text?.format
  const outputSchema = toOutputSchema({ place: 'text.format', format, backend: choice.backend })
  const system = request.instructions ?? undefined
  const asked = { ...request, messages, list: 'input', system, outputSchema, clientTools: offered }
  const prompt = toPromptRequest(asked, choice, continuedTarget(target, { continuation, isStored }))
  const kept = { isStored: isStored && !isDryRun, ownsSession: ownsSession(target, continuation) }
  const record = toRecord(request, { messages, prompt, ...kept })
  return {
    model: request.model,
    choice,
    prompt: { ...prompt, ...(continuation !== undefined && !('resumes' in continuation) && continuation) },
    answer,
    ignored: [...left, ...ignored, ...namesOfIgnored(flatten(request), IGNORED_FIELDS)],
    isStream: request.stream === true,
    record,
  }
}

function flatten({ reasoning, text, ...request }: ResponseRequest): object {
  const verbosity = (text as { verbosity?: unknown } | null | undefined)?.verbosity
  return { ...request, 'reasoning.effort': reasoning?.effort, 'text.verbosity': verbosity }
}

/** An unknown model leaves the conversation with its backend. */
async function findContinuation(
  { previous_response_id: id, conversation, model }: ResponseRequest,
  exchange: Exchange,
  { choose, target, isStored }: { choose: (model: string) => ChosenBackend; target: PromptTarget; isStored: boolean },
): Promise<{ choice: ChosenBackend; continuation?: ContinuedResponse }> {
  const choice = choose(model)
  if (conversation) {
    if (target.session !== undefined) throw twoSessions('conversation')
    const session = await findConversation(idOf(conversation), exchange.request, exchange.context)
    const continuation = continueConversation(session)
    return {
      choice: 'resumes' in continuation ? chooseInSession(choice, model, { ...target, session }) : choice,
      continuation,
    }
  }
  if (id === undefined || id === null) return { choice }
  if (target.session !== undefined) throw twoSessions('previous_response_id')
  const previous = await findPrevious(id, exchange.request, exchange.context)
  const { backend = choice.backend } = choice.isDefault === true ? previous.execution : choice
  const continuation = await continueFrom(previous, { backend, isStored }, exchange)
  return { choice: choice.isDefault === true ? { backend } : choice, continuation }
}

function twoSessions(field: string) {
  return requestInvalid(field, 'must not be sent together with the header X-Drover-Session')
}

function idOf(conversation: NonNullable<ResponseRequest['conversation']>): string {
  return typeof conversation === 'string' ? conversation : conversation.id
}

function continuedTarget(
  target: PromptTarget,
  { continuation, isStored }: { continuation: ContinuedResponse | undefined; isStored: boolean },
): PromptTarget {
  const storesSession = target.storesSession || isStored
  if (continuation === undefined || !('resumes' in continuation)) return { ...target, storesSession }
  return { ...target, storesSession, session: continuation.resumes, sendsOnlyNew: true }
}

function ownsSession({ session }: PromptTarget, continuation: ContinuedResponse | undefined): boolean {
  if (continuation !== undefined && 'resumes' in continuation) return continuation.ownsSession
  if (continuation !== undefined && 'newSessionId' in continuation) return false
  return session === undefined
}

/** Messages of earlier responses that the client names by their id. */
export async function resolveReferences(entries: readonly InputEntry[], exchange: Exchange): Promise<Said[]> {
  const said: Said[] = []
  for (const entry of entries) {
    if ('said' in entry) said.push(entry.said)
    else if ('reference' in entry) said.push(...(await resolveReference(entry, exchange)))
    else said.push(toSaid(entry))
  }
  return said
}

function toSaid(message: WireMessage): Said {
  return { is: 'message', place: message.place ?? 'input', message }
}

async function resolveReference(
  { reference, place }: Extract<InputEntry, { reference: string }>,
  { request, reply, context }: Exchange,
): Promise<Said[]> {
  const call = callOfItem(reference)
  if (call !== undefined) return [{ is: 'call', place, id: call, name: 'of the client', input: '' }]
  const of = placeOfItem(reference)
  const found = of && (await findVisible(of.executionId, request, context))
  const sent = found && listInputMessages(found.execution, found.record).find((each) => each.id === reference)
  if (sent !== undefined) return [toSaid({ role: sent.role, content: sent.text, place })]
  const response = found && (await readResponse({ ...found, part: of?.part ?? 0 }, { request, reply, context }))
  const item = response?.output.find((each) => each.id === reference)
  if (item === undefined) {
    throw requestInvalid(
      `${place}.id`,
      'must be the id of an item in the output or the input_items of a stored response',
    )
  }
  if (item.type !== 'message') return []
  return [toSaid({ role: 'assistant', content: item.content[0]?.text ?? '', place })]
}

type RecordFacts = {
  messages: readonly WireMessage[]
  prompt: PromptRequest
  isStored: boolean
  ownsSession: boolean
}

function toRecord(request: ResponseRequest, facts: RecordFacts): ResponseRecord {
  const { instructions, previous_response_id: previous, reasoning, max_output_tokens: max } = request
  const format = request.text?.format
  const effort = reasoning?.effort
  const stored = toStoredMessages(facts.messages)
  const isPrompt = stored.length === 1 && stored[0]?.role === 'user' && stored[0].text === facts.prompt.prompt
  return {
    api: 'responses',
    model: request.model,
    store: facts.isStored,
    background: request.background === true,
    stream: request.stream === true,
    ...(!isPrompt && { messages: stored }),
    ...(typeof instructions === 'string' && { instructions }),
    ...(typeof previous === 'string' && { previous_response_id: previous }),
    ...(request.conversation && { conversation: idOf(request.conversation) }),
    metadata: request.metadata ?? {},
    ...(typeof max === 'number' && Number.isSafeInteger(max) && { max_output_tokens: max }),
    ...(typeof effort === 'string' && { effort }),
    ...(typeof reasoning?.summary === 'string' && { summary: reasoning.summary }),
    ...(format && format.type !== 'text' && { format: format as unknown as JsonObject }),
    ...(facts.prompt.clientTools !== undefined && { has_tools: true as const }),
    ...(request.parallel_tool_calls === false && { one_call: true as const }),
    ...textToolsOf(facts.prompt.clientTools),
    ...(facts.prompt.clientTools?.choice.must === true && { must_call: true as const }),
    owns_session: facts.ownsSession,
  }
}

function textToolsOf(offered: PromptRequest['clientTools']): Pick<ResponseRecord, 'text_tools'> {
  const names = offered?.tools.flatMap(({ name, isText }) => (isText ? [name] : [])) ?? []
  return names.length === 0 ? {} : { text_tools: names }
}
