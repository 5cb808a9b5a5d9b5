/** Reads the `result` event of claude, which ends a run, and its notices about retries. */
import type { Denial, Usage } from '../adapter/agent.ts'
import type { AgentFailure, FailureCode } from '../adapter/failure.ts'
import { countAt, isObject, type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'
import { addUsage, cacheWrites, isNothing, NO_USAGE, withoutPriorCost } from '../adapter/token-usage.ts'
import { readSubject } from '../adapter/tool-log.ts'

export function formatRetry(line: JsonRecord): string {
  const [attempt, most] = [countAt(line, 'attempt'), countAt(line, 'max_retries')]
  const cause = [countAt(line, 'error_status'), textAt(line, 'error')].filter((part) => part !== undefined)
  return `retry ${attempt ?? '?'} of ${most ?? '?'} after ${cause.join(' ') || 'an error'}`
}

/** What claude has reported before its result. */
type Before = {
  lastError?: AgentFailure | undefined
  retry?: JsonRecord | undefined
  limits?: JsonRecord | undefined
}

const FAILURES: Readonly<Record<string, FailureCode>> = {
  error_max_turns: 'agent_max_turns',
  error_max_structured_output_retries: 'agent_output_invalid',
}

/** API errors have the subtype `success` too, so `is_error` decides. */
export function readOutcome(line: JsonRecord, { lastError, retry, limits }: Before): 'success' | AgentFailure {
  const subtype = textAt(line, 'subtype') ?? ''
  const error = textAt(line, 'error')
  if (line['is_error'] !== true && !subtype.startsWith('error') && error === undefined) return 'success'
  const reason = textAt(line, 'terminal_reason') ?? ''
  if (reason.startsWith('aborted')) return { code: 'agent_ended_early', message: 'claude was interrupted' }
  const errors = textsAt(line, 'errors').filter((each) => !each.startsWith('[ede_diagnostic]'))
  const message = textAt(line, 'result') || error || errors.join('; ') || lastError?.message
  const status = countAt(line, 'api_error_status')
  return {
    message: message || `claude ended with ${subtype || 'an error'}`,
    code: FAILURES[subtype],
    status,
    // Claude waits as long as the service asks it to, but no message says so.
    ...(status !== undefined && countAt(retry, 'error_status') === status && { retryAfterMs: readDelay(retry) }),
    ...(status === 429 && textAt(limits, 'status') === 'rejected' && { resetsAt: countAt(limits, 'resetsAt') }),
  }
}

/** How long claude waits before it tries again. */
export function readDelay(retry: JsonRecord | undefined): number | undefined {
  const delay = retry?.['retry_delay_ms']
  return typeof delay === 'number' && delay >= 0 && Number.isFinite(delay) ? delay : undefined
}

const MODEL_COUNTS = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'] as const

/**
 * The result with the costs and counts of this turn alone: claude adds them up over the life of a process, and over that of a
 * session. If the sum has shrunk, it was counted from zero.
 */
export function withoutEarlier(result: JsonRecord, earlier: JsonRecord | undefined): JsonRecord {
  const [sum, before] = [result['total_cost_usd'], earlier?.['total_cost_usd']]
  if (earlier === undefined || (typeof sum === 'number' && typeof before === 'number' && sum < before)) return result
  const models = Object.entries(objectAt(result, 'modelUsage') ?? {}).map(([model, usage]) => {
    const counted = objectAt(objectAt(earlier, 'modelUsage'), model)
    return [model, isObject(usage) ? withoutCounts(usage, counted) : usage]
  })
  const cost = withoutPriorCost(sum, before)
  return { ...result, modelUsage: Object.fromEntries(models), ...(cost !== undefined && { total_cost_usd: cost }) }
}

function withoutCounts(usage: JsonRecord, before: JsonRecord | undefined): JsonRecord {
  const counts = MODEL_COUNTS.map((name) => [
    name,
    Math.max(0, (countAt(usage, name) ?? 0) - (countAt(before, name) ?? 0)),
  ])
  return { ...usage, ...Object.fromEntries(counts) }
}

/** At list prices, also for users who pay a flat rate; 0 means that claude does not know the price of the model. */
export function readCost(line: JsonRecord): number | undefined {
  const cost = line['total_cost_usd']
  return typeof cost === 'number' && cost > 0 && Number.isFinite(cost) ? cost : undefined
}

/** `last`: what the last request has used. Claude names the window of each model. */
export function readContext(line: JsonRecord, model: string | undefined, last: Usage | undefined) {
  const window = countAt(objectAt(objectAt(line, 'modelUsage'), model ?? ''), 'contextWindow')
  if (window === undefined || last === undefined) return undefined
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, cache_write_tokens: written = 0 } = last
  return { used_tokens: input + cached + written + output, window_tokens: window }
}

/** `usage` is all zeros if claude had to request the answer twice; then the counts per model are right. */
export function readUsage(line: JsonRecord): Usage {
  const total = toUsage(objectAt(line, 'usage'))
  if (!isNothing(total)) return total
  const perModel = Object.values(objectAt(line, 'modelUsage') ?? {}).filter(isObject)
  return perModel.map(toUsage).reduce(addUsage, NO_USAGE)
}

/** Counts in the spelling of the model service, or in that of the counts per model. */
export function toUsage(counts: JsonRecord | undefined): Usage {
  return {
    input_tokens: countAt(counts, 'input_tokens', 'inputTokens') ?? 0,
    output_tokens: countAt(counts, 'output_tokens', 'outputTokens') ?? 0,
    cached_tokens: countAt(counts, 'cache_read_input_tokens', 'cacheReadInputTokens') ?? 0,
    reasoning_tokens: 0,
    ...cacheWrites(countAt(counts, 'cache_creation_input_tokens', 'cacheCreationInputTokens')),
  }
}

/** Tools that approval mode `auto` allows; all others need `none`. */
const EDITING_TOOLS = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']

export function readDenials(line: JsonRecord): Denial[] {
  return objectsAt(line, 'permission_denials').map((denied) =>
    withNeed({ tool: textAt(denied, 'tool_name') ?? 'unknown', subject: readSubject(denied['tool_input']) }),
  )
}

export function withNeed(denial: Denial): Denial {
  return { ...denial, needs: EDITING_TOOLS.includes(denial.tool) ? 'edit' : 'everything' }
}
