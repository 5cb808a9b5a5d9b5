import type { Usage } from '../adapter/agent.ts'
import { countAt, type JsonRecord } from '../adapter/json-fields.ts'
import { cacheWrites, withoutPrior } from '../adapter/token-usage.ts'

/** Codex's counts, in the spelling of `exec` or of `app-server`. The input includes what was cached. */
export function toUsage(counts: JsonRecord | undefined): Usage {
  return {
    input_tokens: countAt(counts, 'input_tokens', 'inputTokens') ?? 0,
    output_tokens: countAt(counts, 'output_tokens', 'outputTokens') ?? 0,
    cached_tokens: countAt(counts, 'cached_input_tokens', 'cachedInputTokens') ?? 0,
    reasoning_tokens: countAt(counts, 'reasoning_output_tokens', 'reasoningOutputTokens') ?? 0,
    ...cacheWrites(countAt(counts, 'cache_write_input_tokens', 'cacheWriteInputTokens')),
  }
}

/** Codex counts the usage of the whole thread. */
export function usageOfTurn(total: Usage, prior: Usage | undefined): Usage {
  return prior === undefined ? total : withoutPrior(total, prior)
}
