/** `POST /openai/v1/chat/completions` */
import type { ClientCall } from '../../agents/adapter/agent.shape.ts'
import { withoutIdPrefix } from '../../executions/store/execution-id.ts'
import { checker } from '../../kit/schema.ts'
import { splitText } from '../../kit/split-text.ts'
import type { Tokens } from '../../prompts/tokens.ts'
import { readToolUse } from '../compatible/client-tools.ts'
import { withFetchedImages } from '../compatible/fetch-images.ts'
import { type IgnoredFields, namesOfIgnored } from '../compatible/ignored-fields.ts'
import { toOutputSchema } from '../compatible/output-format.ts'
import { toPromptRequest } from '../compatible/prompt-target.ts'
import type { ReplyWriter } from '../compatible/reply.ts'
import { type CompatiblePrompt, type ReadOptions, readOptions, sendReply } from '../compatible/send-reply.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { chatError } from '../errors/error-body.ts'
import { checkBody } from '../request/body.ts'
import { validateChatRequest } from '../request/checks.generated.js'
import { COMMENT_FRAME, DONE_FRAME, dataFrame } from '../response/sse-frames.ts'
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ChatUsage } from './chat-completions.shape.ts'

export const registerChatCompletions: RegisterRoutes = (scope, context) => {
  const { vendor_errors: isVendorOnly } = context.config.server
  scope.post('/chat/completions', async (request, reply) => {
    const options = await readOptions({ request, reply, context })
    const given = await withFetchedImages(request.body, context.config.server)
    const chat = checkBody(given, (body) => readChatRequest(body, options))
    return await sendReply({ request, reply, context }, chat, ({ id, createdAt }) => {
      const created = Math.floor(Date.parse(createdAt) / 1000)
      return chatWriter(
        { id: `chatcmpl-${withoutIdPrefix(id)}`, created, model: chat.model },
        { ...chat, isVendorOnly },
      )
    })
  })
}

type Chat = CompatiblePrompt & {
  /** Whether the last chunk of a stream contains the token usage. */
  wantsUsage: boolean
}

const IGNORED_FIELDS: IgnoredFields = {
  max_tokens: null,
  max_completion_tokens: null,
  temperature: 1,
  top_p: 1,
  n: 1,
  stop: null,
  presence_penalty: 0,
  frequency_penalty: 0,
  logit_bias: null,
  logprobs: false,
  top_logprobs: 0,
  seed: null,
  reasoning_effort: null,
  verbosity: null,
  prediction: null,
  modalities: ['text'],
  audio: null,
  web_search_options: null,
}

const checkChatRequest = checker<ChatRequest>('the request', validateChatRequest)

/** Throws a Fault for an unsupported feature. Parameters of the model, such as `temperature`, are ignored. */
export function readChatRequest(body: unknown, { choose, target, clientTools }: ReadOptions): Chat {
  const request = checkChatRequest(body)
  const { model, functions } = request
  const choice = choose(model)
  const { ignored, answer, ...said } = readToolUse({ ...request, others: { functions } }, clientTools)
  const { response_format: format } = request
  const outputSchema = toOutputSchema({ place: 'response_format', format, backend: choice.backend })
  return {
    model,
    choice,
    prompt: toPromptRequest({ ...request, ...said, outputSchema }, choice, target),
    answer,
    ignored: [...ignored, ...namesOfIgnored(request, IGNORED_FIELDS)],
    isStream: request.stream === true,
    wantsUsage: request.stream_options?.include_usage === true,
  }
}

type ChunkChoice = ChatCompletionChunk['choices'][number]

/** A stream has a chunk with the role, chunks with text, an empty chunk, the usage if requested, and `[DONE]`. */
export function chatWriter(
  envelope: { id: string; created: number; model: string },
  { wantsUsage, isVendorOnly = false }: { wantsUsage: boolean; isVendorOnly?: boolean },
): ReplyWriter {
  const chunk = (choices: readonly ChunkChoice[], usage: ChatUsage | null = null) =>
    dataFrame({
      ...chatEnvelope('chat.completion.chunk', envelope),
      choices,
      ...(wantsUsage && { usage }),
    } satisfies ChatCompletionChunk)
  const choice = (delta: ChunkChoice['delta'], finish: ChunkChoice['finish_reason'] = null) =>
    chunk([{ index: 0, delta, finish_reason: finish }])
  return {
    toBody(text, tokens, calls): ChatCompletion {
      const hasCalls = calls.length > 0
      const message = {
        role: 'assistant',
        content: hasCalls && text === '' ? null : text,
        ...(hasCalls && { tool_calls: calls.map(toToolCall) }),
      } as const
      const choices = [{ index: 0, message, finish_reason: hasCalls ? ('tool_calls' as const) : ('stop' as const) }]
      return { ...chatEnvelope('chat.completion', envelope), choices, usage: toUsage(tokens) }
    },
    begin: choice({ role: 'assistant' }),
    text: (piece) => choice({ content: piece }),
    end: ({ tokens, calls }) =>
      calls
        .flatMap(toCallDeltas)
        .map((delta) => choice({ tool_calls: [delta] }))
        .join('') +
      choice({}, calls.length > 0 ? 'tool_calls' : 'stop') +
      (wantsUsage ? chunk([], toUsage(tokens)) : '') +
      DONE_FRAME,
    error: (error) => dataFrame({ error: chatError(error, isVendorOnly) }),
    heartbeat: COMMENT_FRAME,
  }
}

function toToolCall({ call_id: id, tool_name: name, arguments: input }: ClientCall) {
  return { id, type: 'function' as const, function: { name, arguments: input } }
}

/** Clients join the pieces of the arguments. */
const PIECE_CHARACTERS = 4096

function toCallDeltas({ call_id: id, tool_name: name, arguments: input }: ClientCall, index: number) {
  const pieces = splitText(input, PIECE_CHARACTERS)
  return [
    { index, id, type: 'function' as const, function: { name, arguments: '' } },
    ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

function chatEnvelope<T extends string>(object: T, envelope: { id: string; created: number; model: string }) {
  const { id, created, model } = envelope
  return { id, object, created, model }
}

/** The prompt includes cached tokens, and the completion includes reasoning. */
function toUsage({ input, cacheRead, output, reasoning }: Tokens): ChatUsage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
