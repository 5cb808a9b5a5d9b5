import { PART_KINDS, type PromptObserver, type RunOutcome } from '../../prompts/prompt-context.ts'
import type { Prometheus } from './prometheus.ts'

/** Agents run for seconds or for many minutes. */
const AGENT_BUCKETS = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600]
const WAIT_BUCKETS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600]

/** The `status` label of an outcome. */
const STATUSES: Readonly<Record<RunOutcome, string>> = {
  ok: 'success',
  failed: 'error',
  timeout: 'timeout',
  canceled: 'canceled',
}

const TOKEN_KINDS = ['input', 'output', 'cached', 'reasoning'] as const

export function promptMetrics({ client, registry }: Prometheus, backends: readonly string[]): PromptObserver {
  const registers = [registry]
  const executions = new client.Counter({
    name: 'drover_backend_executions_total',
    help: 'Agent runs, by outcome.',
    labelNames: ['backend', 'status'],
    registers,
  })
  const durations = new client.Histogram({
    name: 'drover_backend_execution_duration_seconds',
    help: 'Duration of agent runs.',
    labelNames: ['backend'],
    buckets: AGENT_BUCKETS,
    registers,
  })
  const tokens = new client.Counter({
    name: 'drover_tokens_total',
    help: 'Tokens as reported by agents. Cached tokens are part of the input, reasoning tokens of the output.',
    labelNames: ['backend', 'kind'],
    registers,
  })
  const waits = new client.Histogram({
    name: 'drover_queue_wait_seconds',
    help: 'Time from a prompt to the start of its agent.',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const parts = partMetrics({ client, registry })
  const created = new client.Counter({ name: 'drover_sessions_created_total', help: 'Sessions created.', registers })
  // A rate needs a first value, so all counters start at 0.
  for (const backend of backends) {
    for (const status of Object.values(STATUSES)) executions.inc({ backend, status }, 0)
    for (const kind of TOKEN_KINDS) tokens.inc({ backend, kind }, 0)
  }
  return {
    waited: (seconds) => waits.observe(seconds),
    agentEnded({ backend, outcome, seconds, usage }) {
      executions.inc({ backend, status: STATUSES[outcome] })
      durations.observe({ backend }, seconds)
      for (const kind of TOKEN_KINDS) tokens.inc({ backend, kind }, usage[`${kind}_tokens`])
    },
    partEnded({ part, backend, outcome, seconds }) {
      // A request may name any backend. Unknown ones must not create labels.
      const labels = { backend: backends.includes(backend) ? backend : 'unknown', status: outcome }
      parts[part].executions.inc(labels)
      parts[part].durations.observe(labels, seconds)
    },
    sessionCreated: () => created.inc(),
  }
}

/** Metrics of the prompts in parallel calls, chains and comparisons. */
function partMetrics({ client, registry }: Prometheus) {
  const registers = [registry]
  const labelNames = ['backend', 'status'] as const
  const metricsOf = (part: string) => ({
    executions: new client.Counter({
      name: `drover_${part}_executions_total`,
      help: 'Prompts of parallel calls, chains or comparisons, by outcome.',
      labelNames,
      registers,
    }),
    durations: new client.Histogram({
      name: `drover_${part}_duration_seconds`,
      help: 'Duration of these prompts.',
      labelNames,
      buckets: AGENT_BUCKETS,
      registers,
    }),
  })
  const [parallel, chain, compare] = PART_KINDS
  return { [parallel]: metricsOf(parallel), [chain]: metricsOf(chain), [compare]: metricsOf(compare) }
}
