/** `POST /anthropic/v1/messages` and `/count_tokens`: an estimate, because agents have no way to count the tokens of a prompt. */
import type { ClientCall } from '../../agents/adapter/agent.shape.ts'
import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { withoutIdPrefix } from '../../executions/store/execution-id.ts'
import { isTimestamp } from '../../kit/clock.ts'
import { checker } from '../../kit/schema.ts'
import { splitText } from '../../kit/split-text.ts'
import { toConversation } from '../../prompts/chat-messages.ts'
import { estimateTokens, type Tokens } from '../../prompts/tokens.ts'
import { type ClientTools, ignoreToolCalls, readToolUse } from '../compatible/client-tools.ts'
import { withFetchedImages } from '../compatible/fetch-images.ts'
import { type IgnoredFields, namesOfIgnored } from '../compatible/ignored-fields.ts'
import { toOutputSchema } from '../compatible/output-format.ts'
import { toPromptRequest } from '../compatible/prompt-target.ts'
import type { ReplyWriter } from '../compatible/reply.ts'
import {
  announce,
  type CompatiblePrompt,
  chooseFor,
  type ReadOptions,
  readOptions,
  sendReply,
} from '../compatible/send-reply.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { messageError } from '../errors/error-body.ts'
import { apiVersionInvalid } from '../errors/faults.ts'
import { checkBody } from '../request/body.ts'
import { validateCountTokensRequest, validateMessageRequest } from '../request/checks.generated.js'
import { eventFrame } from '../response/sse-frames.ts'
import type {
  AnthropicMessage,
  CountTokensRequest,
  MessageRequest,
  MessageStreamEvent,
  TokenCount,
} from './messages.shape.ts'

export const registerMessages: RegisterRoutes = (scope, context) => {
  scope.post('/messages', async (request, reply) => {
    checkApiVersion(request.headers['anthropic-version'], { isRequired: context.config.server.require_api_version })
    const options = await readOptions({ request, reply, context })
    const given = await withFetchedImages(request.body, context.config.server)
    const message = checkBody(given, (body) => readMessageRequest(body, options))
    return await sendReply({ request, reply, context }, message, ({ id }) =>
      messageWriter({ id: `msg_${withoutIdPrefix(id)}`, model: message.model }, context.config.server.vendor_errors),
    )
  })

  scope.post('/messages/count_tokens', async (request, reply): Promise<TokenCount> => {
    checkApiVersion(request.headers['anthropic-version'], { isRequired: context.config.server.require_api_version })
    const asked = checkBody(request.body, checkCount)
    const choose = chooseFor({ request, context }, 'message')
    const count = countTokens(asked, context.config.server.client_tools)
    announce(reply, { model: asked.model, choice: choose(asked.model), warnings: [ESTIMATED] })
    return count
  })
}

/** Throws a Fault if the version is not a calendar date, or if it is missing and required. */
export function checkApiVersion(version: string | string[] | undefined, { isRequired }: { isRequired: boolean }): void {
  if (version === undefined && !isRequired) return
  if (typeof version !== 'string' || !isTimestamp(`${version}T00:00:00Z`)) {
    throw apiVersionInvalid({ given: version?.toString() })
  }
}

/** `max_tokens` is not here: the API requires it, so every answer would name it. */
const IGNORED_FIELDS: IgnoredFields = {
  temperature: 1,
  top_p: 1,
  top_k: null,
  stop_sequences: null,
  thinking: { type: 'disabled' },
  output_config: null,
}

const checkMessageRequest = checker<MessageRequest>('the request', validateMessageRequest)

/** Throws a Fault for an unsupported feature. Parameters of the model, such as `temperature`, are ignored. */
export function readMessageRequest(body: unknown, { choose, target, clientTools }: ReadOptions): CompatiblePrompt {
  const request = checkMessageRequest(body)
  const { model, mcp_servers } = request
  const choice = choose(model)
  const { ignored, answer, ...said } = readToolUse({ ...request, others: { mcp_servers } }, clientTools)
  const { format: configured, ...otherOutput } = request.output_config ?? {}
  const asked = request.output_format
    ? { place: 'output_format', format: request.output_format }
    : { place: 'output_config.format', format: configured }
  const outputSchema = toOutputSchema({ ...asked, backend: choice.backend })
  return {
    model,
    choice,
    prompt: toPromptRequest({ ...request, ...said, outputSchema }, choice, target),
    answer,
    ignored: [...ignored, ...namesOfIgnored({ ...request, output_config: otherOutput }, IGNORED_FIELDS)],
    isStream: request.stream === true,
  }
}

/** The reply is a message with a text block, if there is a text or nothing else, and a block for each call. */
export function messageWriter({ id, model }: { id: string; model: string }, isVendorOnly = false): ReplyWriter {
  let hasTextBlock = false
  const text = (piece: string) => {
    const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as const
    const start = hasTextBlock ? '' : frames(block)
    hasTextBlock = true
    return start + frames({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })
  }
  return {
    toBody: (answer, tokens, calls): AnthropicMessage => ({
      id,
      type: 'message',
      role: 'assistant',
      content: [
        ...(answer === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: answer }]),
        ...calls.map((call) => toToolUse(call, JSON.parse(call.arguments))),
      ],
      model,
      stop_reason: stopReason(calls),
      stop_sequence: null,
      usage: toUsage(tokens),
    }),
    begin: frames({ type: 'message_start', message: emptyMessage({ id, model }) }),
    text,
    end({ tokens, calls }) {
      // A message has at least one block, and a text block has at least one delta.
      const empty = hasTextBlock || calls.length > 0 ? '' : text('')
      const end = hasTextBlock ? frames({ type: 'content_block_stop', index: 0 }) : ''
      const first = hasTextBlock ? 1 : 0
      return empty + end + calls.map((call, at) => toolFrames(call, first + at)).join('') + endFrames(tokens, calls)
    },
    error: (error) => frames({ type: 'error', error: messageError(error, isVendorOnly) }),
    heartbeat: frames({ type: 'ping' }),
  }
}

function stopReason(calls: readonly ClientCall[]) {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function toToolUse({ call_id: id, tool_name: name }: ClientCall, input: JsonRecord) {
  return { type: 'tool_use' as const, id, name, input }
}

/** Clients join the pieces of the input. */
const PIECE_CHARACTERS = 4096

function toolFrames(call: ClientCall, index: number): string {
  const pieces = splitText(call.arguments, PIECE_CHARACTERS)
  return frames(
    { type: 'content_block_start', index, content_block: toToolUse(call, {}) },
    ...pieces.map((piece) => {
      const delta = { type: 'input_json_delta', partial_json: piece } as const
      return { type: 'content_block_delta', index, delta } as const
    }),
    { type: 'content_block_stop', index },
  )
}

function endFrames(tokens: Tokens, calls: readonly ClientCall[]): string {
  const delta = { stop_reason: stopReason(calls), stop_sequence: null } as const
  return frames({ type: 'message_delta', delta, usage: toUsage(tokens) }, { type: 'message_stop' })
}

/** The input does not include what was read from a cache or written to it. The output includes thinking. */
function toUsage({ input, cacheRead, cacheWrite, output }: Tokens): AnthropicMessage['usage'] {
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  }
}

function emptyMessage({ id, model }: { id: string; model: string }) {
  const usage = { input_tokens: 0, output_tokens: 0 }
  const kind = { type: 'message', role: 'assistant' } as const
  return { id, ...kind, content: [], model, stop_reason: null, stop_sequence: null, usage }
}

function frames(...events: readonly MessageStreamEvent[]): string {
  return events.map(eventFrame).join('')
}

const checkCount = checker<CountTokensRequest>('the request', validateCountTokensRequest)

const ESTIMATED =
  'input_tokens is an estimate: a quarter of the bytes of all texts; the agent adds its own instructions'

/** Counts what the agent would get. Tools are counted too, although the agent does not get them. */
function countTokens({ messages, system, tools }: CountTokensRequest, clientTools: ClientTools): TokenCount {
  const kept = ignoreToolCalls(messages, clientTools)
  const { prompt, systemPrompt = '' } = toConversation(kept.messages, system ?? undefined)
  const offered = (tools ?? []).map((tool) => JSON.stringify(tool)).join('')
  return { input_tokens: estimateTokens(systemPrompt + prompt + offered) }
}
