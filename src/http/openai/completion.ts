/** What the chat-completion API answers. Pure. */

import { type StreamParts, streamForm, wholeForm } from '../compatible/compatible-form.ts'
import { chatError } from '../errors/problem.ts'
import type { Tokens } from '../request/tokens.ts'
import type { AnswerForm } from '../response/answer-prompt.ts'
import { COMMENT_FRAME, DONE_FRAME, dataFrame } from '../response/sse.ts'
import type { Chat } from './to-chat.ts'
import type { ChatCompletion, ChatCompletionChunk, ChatUsage } from './wire.shape.ts'

type Envelope = { id: string; created: number; model: string }

export function chatForm(envelope: Envelope, { prompt: { prompt }, isStream, wantsUsage }: Chat): AnswerForm {
  return isStream
    ? streamForm(prompt, chunkParts(envelope, { wantsUsage }))
    : wholeForm(prompt, (text, tokens) => toCompletion(envelope, text, tokens))
}

function toCompletion({ id, created, model }: Envelope, text: string, tokens: Tokens): ChatCompletion {
  const message = { role: 'assistant', content: text } as const
  const choices = [{ index: 0, message, finish_reason: 'stop' as const }]
  return { id, object: 'chat.completion', created, model, choices, usage: toUsage(tokens) }
}

function toUsage({ input, output }: Tokens): ChatUsage {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

type Choice = ChatCompletionChunk['choices'][number]

/** Role, pieces of text, the empty last chunk, the usage where it was asked for, `[DONE]`. */
function chunkParts({ id, created, model }: Envelope, { wantsUsage }: { wantsUsage: boolean }): StreamParts {
  const chunk = (choices: readonly Choice[], usage: ChatUsage | null = null) =>
    dataFrame({
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...(wantsUsage && { usage }),
    } satisfies ChatCompletionChunk)
  const choice = (delta: Choice['delta'], finish: Choice['finish_reason'] = null) =>
    chunk([{ index: 0, delta, finish_reason: finish }])
  return {
    begin: choice({ role: 'assistant' }),
    piece: (text) => choice({ content: text }),
    finish: ({ tokens }) => choice({}, 'stop') + (wantsUsage ? chunk([], toUsage(tokens)) : '') + DONE_FRAME,
    breakOff: (refusal) => dataFrame({ error: chatError(refusal) }),
    heartbeat: COMMENT_FRAME,
  }
}
