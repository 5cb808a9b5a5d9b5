/** Reads how a run of gemini ended: from its last event, its single object, or stderr. */
import type { Usage } from '../adapter/agent.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import { countAt, isObject, type JsonRecord, objectAt, parseObject, textAt } from '../adapter/json-fields.ts'
import { addUsage, NO_USAGE } from '../adapter/token-usage.ts'

/** Input includes cached tokens. Thoughts are only in the total. */
export function usageOfStream(stats: JsonRecord | undefined): Usage {
  const counts = objectAt(stats, 'tokenUsage') ?? stats
  const input = countAt(counts, 'input_tokens', 'inputTokens') ?? 0
  const output = countAt(counts, 'output_tokens', 'outputTokens') ?? 0
  const total = countAt(counts, 'total_tokens', 'totalTokens') ?? 0
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: countAt(counts, 'cached', 'cachedTokens') ?? 0,
    reasoning_tokens: Math.max(0, total - input - output),
  }
}

export function usageOfDocument(stats: JsonRecord | undefined): Usage {
  const models = Object.values(objectAt(stats, 'models') ?? {}).filter(isObject)
  return models.map((model) => toUsage(objectAt(model, 'tokens'))).reduce(addUsage, NO_USAGE)
}

/**
 * The counts of a model, or of a stored message, which calls its output by that name. `prompt` includes cached tokens. Older
 * releases have only `input`, which includes them too.
 */
export function toUsage(tokens: JsonRecord | undefined): Usage {
  return {
    input_tokens: countAt(tokens, 'prompt', 'input') ?? 0,
    output_tokens: countAt(tokens, 'candidates', 'output') ?? 0,
    cached_tokens: countAt(tokens, 'cached') ?? 0,
    reasoning_tokens: countAt(tokens, 'thoughts') ?? 0,
  }
}

/** Gemini passes on the error response of the model service as JSON. */
export function unwrapApiError(message: string): AgentFailure {
  const start = message.indexOf('{"error"')
  const error =
    start === -1 ? undefined : objectAt(parseObject(message.slice(start, message.lastIndexOf('}') + 1)), 'error')
  const [code, status, text] = [countAt(error, 'code'), textAt(error, 'status'), textAt(error, 'message')]
  if (text === undefined) return { message }
  const kind = [code, status].filter((part) => part !== undefined).join(' ')
  return { message: kind === '' ? text : `${kind}: ${text}`, status: code }
}

/** Gemini does not send a prompt that exceeds the model's context; without `--acp` it reports success. */
export const NOT_ASKED: AgentFailure = {
  code: 'agent_ended_early',
  message: 'gemini ended without a request to the model; the prompt may be too large',
}

/** The object at the end of stderr. Stack traces and a copy of it may come first. */
export function jsonOnStderr(stderrTail: string): JsonRecord | undefined {
  const starts = [...stderrTail.matchAll(/^(?:\[ERROR\] )?\{$/gm)].map(({ index, 0: line }) => index + line.length - 1)
  return starts.map((start) => parseObject(stderrTail.slice(start))).find((value) => value !== undefined)
}

/** How long the model service wants gemini to wait; gemini prints it with the error, not in its message. */
export function retryDelayOnStderr(stderrTail: string): number | undefined {
  const [, delay] = /^\s+retryDelayMs: (\d+(?:\.\d+)?),?$/m.exec(stderrTail) ?? []
  return delay === undefined ? undefined : Number(delay)
}
