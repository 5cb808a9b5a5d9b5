/** Decides what the end of an execution adds to the usage. Pure. */
import { NO_USAGE } from '../../agents/adapter/token-usage.ts'
import type { ExecutionStart } from '../../prompts/execution-recorder.ts'
import { NO_KEY } from '../../store/key-ids.ts'
import type { Execution } from './execution.shape.ts'

/** The sums of the usage that are always known. */
export const USAGE_COUNTS = [
  'completed',
  'failed',
  'cancelled',
  'lost',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cache_write_tokens',
  'duration_ms',
  'plan_executions',
  'unknown_cost_executions',
] as const

/** The columns of the table `usage`. */
export type UsageEntry = {
  day: string
  key_id: string
  api_key: string
  backend: string
  model: string
  completed: number
  failed: number
  cancelled: number
  lost: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  reasoning_tokens: number
  cache_write_tokens: number
  cost_usd: number | null
  /** The part of it that is tokens at list prices. */
  priced_usd: number | null
  duration_ms: number
  plan_executions: number
  unknown_cost_executions: number
}

/** What the usage calls the model of the demo agent. */
export const DEMO_MODEL = 'demo'

/** A client may request any model, and its name stays for long. */
const MAX_MODEL_LENGTH = 200

/** The parts of a batch are counted, not the batch. A dry run starts no agent. */
export function countsUsage({ backend, isDryRun }: Pick<ExecutionStart, 'backend' | 'isDryRun'>): boolean {
  return backend !== undefined && isDryRun !== true
}

export function toUsageEntry(execution: Execution, { countsTokens }: { countsTokens: boolean }): UsageEntry {
  const { state, ended_at: endedAt = '' } = execution
  const usage = (countsTokens ? execution.usage : undefined) ?? NO_USAGE
  const { cost_usd: cost, cost_kind: kind } = execution
  const isIn = (each: Execution['state']) => (state === each ? 1 : 0)
  return {
    day: endedAt.slice(0, 10),
    key_id: execution.key_id ?? NO_KEY,
    api_key: execution.api_key ?? '',
    backend: execution.backend ?? '',
    model: toUsageModel(execution),
    completed: isIn('completed'),
    failed: isIn('failed'),
    cancelled: isIn('cancelled'),
    lost: isIn('lost'),
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cached_tokens: usage.cached_tokens,
    reasoning_tokens: usage.reasoning_tokens,
    cache_write_tokens: usage.cache_write_tokens ?? 0,
    cost_usd: cost ?? null,
    priced_usd: kind === 'priced' ? (cost ?? null) : null,
    duration_ms: toDuration(execution),
    plan_executions: kind === 'plan' ? 1 : 0,
    unknown_cost_executions: cost === undefined && kind !== 'plan' ? 1 : 0,
  }
}

/** The demo agent calls no model, whichever was requested. */
function toUsageModel({ model = '', is_demo: isDemo }: Execution): string {
  return isDemo === true ? DEMO_MODEL : model.slice(0, MAX_MODEL_LENGTH).toWellFormed()
}

/** It is not known when a lost execution ended. */
function toDuration({ state, started_at: startedAt, ended_at: endedAt }: Execution): number {
  if (state === 'lost' || startedAt === undefined || endedAt === undefined) return 0
  return Math.max(0, Date.parse(endedAt) - Date.parse(startedAt))
}
