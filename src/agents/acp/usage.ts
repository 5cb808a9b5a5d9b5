/** Reads token counts. Agents agree on the names of the fields, but not on where they are and what they count. Pure. */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { ContextUsage, Usage } from '../adapter/agent.ts'
import { countAt, type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { addUsage, cacheWrites, NO_USAGE, withoutPrior } from '../adapter/token-usage.ts'

export type TurnUsage = {
  /** Of this turn. */
  usage: Usage
  /** Of the whole session, for agents that count it. */
  threadUsage?: Usage
  warning?: string
}

type Counted = {
  profile: Pick<AcpProfile, 'usage' | 'countsApart'>
  /** The result of the prompt. */
  result: JsonRecord
  /** The sum of what was reported after each model request. */
  perRequest: Usage | undefined
  /** The usage of the session before this turn. */
  prior: Usage | undefined
  backend: string
}

export function usageOfTurn({ profile, result, perRequest, prior, backend }: Counted): TurnUsage {
  const reported = objectAt(result, 'usage')
  const { usage: shape, countsApart } = profile
  switch (shape) {
    case 'turn':
      return { usage: readCounts(reported, countsApart) }
    case 'last-request':
      return {
        usage: readCounts(reported, countsApart),
        warning: `${backend} counts only the tokens of its last model request`,
      }
    case 'session': {
      const total = readCounts(reported, countsApart)
      return { usage: withoutPrior(total, prior ?? NO_USAGE), threadUsage: total }
    }
    case 'per-request':
      return { usage: perRequest ?? NO_USAGE }
    case 'meta':
      return { usage: readCounts(countsInMeta(result)) }
    case 'none':
      return { usage: NO_USAGE, warning: `${backend} reports no token usage` }
  }
}

/**
 * What the session has cost so far in US dollars, in a `usage_update`; 0 means that the agent does not know the price of the model. The
 * update counts the tokens of the context only, not those that were used.
 */
export function costOfSession(update: JsonRecord | undefined): number | undefined {
  const cost = textAt(update, 'sessionUpdate') === 'usage_update' ? objectAt(update, 'cost') : undefined
  const amount = cost?.['amount']
  const isKnown = textAt(cost, 'currency') === 'USD' && typeof amount === 'number' && amount > 0
  return isKnown && Number.isFinite(amount) ? amount : undefined
}

/** The context, in a `usage_update`; 0 means that the agent does not know yet. */
export function contextIn(update: JsonRecord): ContextUsage | undefined {
  const [used, size] = [countAt(update, 'used') ?? 0, countAt(update, 'size') ?? 0]
  return used > 0 && size > 0 ? { used_tokens: used, window_tokens: size } : undefined
}

/** The counts of one model request, in the metadata of a chunk. */
export function usageOfChunk(update: JsonRecord): Usage | undefined {
  const counts = objectAt(objectAt(update, '_meta'), 'usage')
  return counts === undefined ? undefined : readCounts(counts)
}

export function sumUsage(sum: Usage | undefined, more: Usage): Usage {
  return sum === undefined ? more : addUsage(sum, more)
}

function countsInMeta(result: JsonRecord): JsonRecord | undefined {
  const meta = objectAt(result, '_meta')
  return objectAt(objectAt(meta, 'quota'), 'token_count') ?? objectAt(meta, 'usage')
}

/** Input with the tokens of the cache, output with those of thinking. */
function readCounts(counts: JsonRecord | undefined, apart: AcpProfile['countsApart'] = NOTHING_APART): Usage {
  const cached = countAt(counts, 'cachedReadTokens', 'cachedInputTokens', 'cached_tokens') ?? 0
  const written = countAt(counts, 'cachedWriteTokens') ?? 0
  const reasoning = countAt(counts, 'thoughtTokens', 'reasoningTokens', 'reasoningOutputTokens') ?? 0
  const input = countAt(counts, 'inputTokens', 'input_tokens') ?? 0
  const output = countAt(counts, 'outputTokens', 'output_tokens') ?? 0
  return {
    input_tokens: input + (apart.cache ? cached + written : 0),
    output_tokens: output + (apart.reasoning ? reasoning : 0),
    cached_tokens: cached,
    reasoning_tokens: reasoning,
    ...cacheWrites(written),
  }
}

const NOTHING_APART = { cache: false, reasoning: false }
