/** What gemini says of the end of a run, in its several places. */
import type { Usage } from '../adapter/agent.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import { countAt, isObject, type JsonObject, objectAt, parseObject, textAt } from '../adapter/json-fields.ts'
import { addUsage, NO_USAGE } from '../adapter/usage.ts'

/** Input includes what was cached. Thoughts are in the total alone. */
export function usageOfStream(stats: JsonObject | undefined): Usage {
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

export function usageOfDocument(stats: JsonObject | undefined): Usage {
  const models = Object.values(objectAt(stats, 'models') ?? {}).filter(isObject)
  return models.map((model) => usageOfModel(objectAt(model, 'tokens'))).reduce(addUsage, NO_USAGE)
}

/** `input` is what is left of `prompt` without the cached part; older releases have only `input`, for the whole. */
function usageOfModel(tokens: JsonObject | undefined): Usage {
  return {
    input_tokens: countAt(tokens, 'prompt', 'input') ?? 0,
    output_tokens: countAt(tokens, 'candidates') ?? 0,
    cached_tokens: countAt(tokens, 'cached') ?? 0,
    reasoning_tokens: countAt(tokens, 'thoughts') ?? 0,
  }
}

/** Gemini hands on the answer of the model service as it is, JSON and all. */
export function unwrapApiError(message: string): AgentFailure {
  const start = message.indexOf('{"error"')
  const error =
    start === -1 ? undefined : objectAt(parseObject(message.slice(start, message.lastIndexOf('}') + 1)), 'error')
  const [code, status, text] = [countAt(error, 'code'), textAt(error, 'status'), textAt(error, 'message')]
  if (text === undefined) return { message }
  const kind = [code, status].filter((part) => part !== undefined).join(' ')
  return { message: kind === '' ? text : `${kind}: ${text}`, status: code }
}

/** Gemini leaves a prompt that is larger than the model's context unsent; without `--acp` it calls that a success. */
export const NOT_ASKED: AgentFailure = {
  code: 'agent_ended_early',
  message: 'gemini ended without asking the model; the prompt may be too large for it',
}

/** The object that stderr ends with; stack traces, and the same once before, may come first. */
export function jsonOnStderr(stderrTail: string): JsonObject | undefined {
  const starts = [...stderrTail.matchAll(/^(?:\[ERROR\] )?\{$/gm)].map(({ index, 0: line }) => index + line.length - 1)
  return starts.map((start) => parseObject(stderrTail.slice(start))).find((value) => value !== undefined)
}
