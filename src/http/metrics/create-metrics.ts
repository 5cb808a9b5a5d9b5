/** Prometheus metrics. prom-client is only loaded if metrics are enabled. */
import type { Metrics, ServerContext } from '../context/server-context.ts'
import { promptMetrics } from './prompt-metrics.ts'
import { requestMetrics } from './request-metrics.ts'
import { type StateSources, stateMetrics } from './state-metrics.ts'

/** Adds metrics to the context if the configuration enables them. */
export async function withMetrics(context: ServerContext): Promise<ServerContext> {
  if (!context.config.server.metrics_enabled) return context
  const { version, log, drover } = context
  const { sessions: store, queue } = drover.opened
  const backends = Object.keys(context.config.backends)
  const metrics = await createMetrics({ version, store, log, slots: drover.slots, queue }, backends)
  drover.observe(metrics.prompts)
  return { ...context, metrics, observer: { ...context.observer, ...metrics.server } }
}

/** Gauges whose names end like those of counters, which `promtool check metrics` refuses. Others have their values by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

async function createMetrics(sources: StateSources, backends: readonly string[]): Promise<Metrics> {
  const client = await import('prom-client')
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const prometheus = { client, registry }
  stateMetrics(prometheus, sources)
  return { server: requestMetrics(prometheus), prompts: promptMetrics(prometheus, backends), registry }
}
