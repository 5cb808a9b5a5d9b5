/** What prompts like this one have used on average, as far as the usage tells. */
import type { PromptLike } from '../../prompts/budget-source.ts'
import type { History } from '../../prompts/decide-budget.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { get, type Row, type Steps } from '../../store/sql.ts'
import { dayBefore } from './usage-query.ts'

const HISTORY_DAYS = 30
const TOKENS = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'cache_write_tokens'] as const
const SUMS = ['completed + failed + cancelled', 'cost_usd', 'duration_ms', ...TOKENS]
  .map((column, at) => `sum(${column}) AS ${at === 0 ? 'ended' : column}`)
  .join(', ')

/** Of the key and the model, else of the key, else of the agent. Undefined if it has never ended a prompt. */
export function* readHistory({ keyId, backend, model }: PromptLike, now: Date): Steps<History | undefined> {
  const since = dayBefore(now, HISTORY_DAYS)
  const narrower: [string, string[]][] = [
    ...(model === undefined ? [] : [['AND key_id = ? AND model = ?', [keyId, model]] as [string, string[]]]),
    ['AND key_id = ?', [keyId]],
    ['', []],
  ]
  for (const [terms, values] of narrower) {
    const row = yield* get(
      `SELECT ${SUMS} FROM usage WHERE day > ? AND backend = ? ${terms}`,
      since,
      backend,
      ...values,
    )
    const history = row && toHistory(row, backend)
    if (history !== undefined) return history
  }
  return undefined
}

function toHistory(row: Row, backend: string): History | undefined {
  const ended = Number(row['ended'] ?? 0)
  if (ended === 0) return undefined
  const [input_tokens = 0, output_tokens = 0, cached_tokens = 0, reasoning_tokens = 0, cache_write_tokens = 0] =
    TOKENS.map((name) => Number(row[name] ?? 0))
  const tokens = { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens }
  return {
    usd: Number(row['cost_usd'] ?? 0) / ended,
    tokens: countTokens(tokens, backend) / ended,
    requests: 1,
    minutes: Number(row['duration_ms'] ?? 0) / 60_000 / ended,
  }
}
