import { BACKENDS } from '../../agents/adapter/agent.ts'
import { PART_KINDS, type PromptObserver, type RunOutcome } from '../../prompts/prompt-context.ts'
import type { Prometheus } from './prometheus.ts'

/** Agents take seconds or many minutes. */
const AGENT_BUCKETS = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600]
const WAIT_BUCKETS = [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600]

/** How the statuses of executions are called. */
const STATUSES: Readonly<Record<RunOutcome, string>> = {
  ok: 'success',
  failed: 'error',
  timeout: 'timeout',
  canceled: 'canceled',
}

const TOKEN_KINDS = ['input', 'output', 'cached', 'reasoning'] as const

export function promptMetrics({ client, registry }: Prometheus): PromptObserver {
  const registers = [registry]
  const executions = new client.Counter({
    name: 'drover_backend_executions_total',
    help: 'Agents that were run, by how they ended.',
    labelNames: ['backend', 'status'],
    registers,
  })
  const durations = new client.Histogram({
    name: 'drover_backend_execution_duration_seconds',
    help: 'How long agents ran.',
    labelNames: ['backend'],
    buckets: AGENT_BUCKETS,
    registers,
  })
  const tokens = new client.Counter({
    name: 'drover_tokens_total',
    help: 'Tokens as agents report them; cached ones are part of the input, reasoning ones of the output.',
    labelNames: ['backend', 'kind'],
    registers,
  })
  const waits = new client.Histogram({
    name: 'drover_queue_wait_seconds',
    help: 'How long prompts waited until their agent was started.',
    buckets: WAIT_BUCKETS,
    registers,
  })
  const parts = partMetrics({ client, registry })
  const created = new client.Counter({ name: 'drover_sessions_created_total', help: 'New sessions.', registers })
  // A rate needs a first value, so what can be counted stands at 0 before anything was.
  for (const backend of BACKENDS) {
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
      // What does not exist must not make a label of its own.
      const labels = { backend: BACKENDS.find((known) => known === backend) ?? 'unknown', status: outcome }
      parts[part].executions.inc(labels)
      parts[part].durations.observe(labels, seconds)
    },
    sessionCreated: () => created.inc(),
  }
}

/** The parts of parallel calls, chains and comparisons, each kind by itself. */
function partMetrics({ client, registry }: Prometheus) {
  const registers = [registry]
  const labelNames = ['backend', 'status'] as const
  const metricsOf = (part: string) => ({
    executions: new client.Counter({
      name: `drover_${part}_executions_total`,
      help: 'Prompts that were part of a larger call, by how they ended.',
      labelNames,
      registers,
    }),
    durations: new client.Histogram({
      name: `drover_${part}_duration_seconds`,
      help: 'How long such prompts took.',
      labelNames,
      buckets: AGENT_BUCKETS,
      registers,
    }),
  })
  const [parallel, chain, compare] = PART_KINDS
  return { [parallel]: metricsOf(parallel), [chain]: metricsOf(chain), [compare]: metricsOf(compare) }
}
