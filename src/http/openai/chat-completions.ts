/** `POST /openai/v1/chat/completions` */
import { checker } from '../../kit/schema.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { type ReplyWriter, refuseTools, replyFormat, type Tokens, toPromptRequest } from '../compatible/conversation.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { chatError } from '../errors/error-body.ts'
import { checkBody } from '../request/body.ts'
import { validateChatRequest } from '../request/checks.generated.js'
import { sendPrompt } from '../response/send-prompt.ts'
import { COMMENT_FRAME, DONE_FRAME, dataFrame } from '../response/sse-frames.ts'
import type { ChatCompletion, ChatCompletionChunk, ChatRequest, ChatUsage } from './chat-completions.shape.ts'

/** An id has twice as many hexadecimal digits. */
const ID_BYTES = 16

export const registerChatCompletions: RegisterRoutes = (scope, context) => {
  scope.post('/chat/completions', async (request, reply) => {
    const chat = checkBody(request.body, readChatRequest)
    const id = `chatcmpl-${context.ids.hex(ID_BYTES)}`
    const created = Math.floor(context.clock.now().getTime() / 1000)
    const writer = chatWriter({ id, created, model: chat.model }, chat)
    return await sendPrompt({ request, reply, context }, chat.prompt, replyFormat(chat.prompt.prompt, writer, chat))
  })
}

type Chat = {
  model: string
  prompt: PromptRequest
  isStream: boolean
  /** Whether the last chunk of a stream contains the token usage. */
  wantsUsage: boolean
}

const checkChatRequest = checker<ChatRequest>('the request', validateChatRequest)

/** Throws a Fault for an unsupported feature. Parameters of the model, such as `temperature`, are ignored. */
export function readChatRequest(body: unknown): Chat {
  const request = checkChatRequest(body)
  const { model, tools, functions } = request
  refuseTools({ tools, functions })
  return {
    model,
    prompt: toPromptRequest(request),
    isStream: request.stream === true,
    wantsUsage: request.stream_options?.include_usage === true,
  }
}

type Choice = ChatCompletionChunk['choices'][number]

/** A stream has a chunk with the role, chunks with text, an empty chunk, the usage if requested, and `[DONE]`. */
export function chatWriter(
  envelope: { id: string; created: number; model: string },
  { wantsUsage }: { wantsUsage: boolean },
): ReplyWriter {
  const chunk = (choices: readonly Choice[], usage: ChatUsage | null = null) =>
    dataFrame({
      ...envelopeOf('chat.completion.chunk', envelope),
      choices,
      ...(wantsUsage && { usage }),
    } satisfies ChatCompletionChunk)
  const choice = (delta: Choice['delta'], finish: Choice['finish_reason'] = null) =>
    chunk([{ index: 0, delta, finish_reason: finish }])
  return {
    toBody(text, tokens): ChatCompletion {
      const message = { role: 'assistant', content: text } as const
      const choices = [{ index: 0, message, finish_reason: 'stop' as const }]
      return { ...envelopeOf('chat.completion', envelope), choices, usage: toUsage(tokens) }
    },
    begin: choice({ role: 'assistant' }),
    text: (piece) => choice({ content: piece }),
    end: ({ tokens }) => choice({}, 'stop') + (wantsUsage ? chunk([], toUsage(tokens)) : '') + DONE_FRAME,
    error: (error) => dataFrame({ error: chatError(error) }),
    heartbeat: COMMENT_FRAME,
  }
}

function envelopeOf<T extends string>(object: T, envelope: { id: string; created: number; model: string }) {
  const { id, created, model } = envelope
  return { id, object, created, model }
}

function toUsage({ input, output }: Tokens): ChatUsage {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
