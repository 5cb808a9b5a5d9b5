/** What the server counts, for Prometheus. prom-client is loaded by servers that want it, and by no others. */
import type { ServerContext } from '../context/server-context.ts'
import type { Metrics } from './prometheus.ts'
import { promptMetrics } from './prompt-metrics.ts'
import { requestMetrics } from './request-metrics.ts'
import { type StateSources, stateMetrics } from './state-metrics.ts'

/** The context of a server that counts, where the configuration asks for it. */
export async function withMetrics(context: ServerContext): Promise<ServerContext> {
  if (!context.config.server.metrics_enabled) return context
  const { version, store, log, prompts } = context
  const metrics = await createMetrics({ version, store, log, slots: prompts.slots })
  return {
    ...context,
    metrics,
    observer: { ...context.observer, ...metrics.server },
    prompts: { ...prompts, observer: { ...prompts.observer, ...metrics.prompts } },
  }
}

async function createMetrics(sources: StateSources): Promise<Metrics> {
  const client = await import('prom-client')
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  const prometheus = { client, registry }
  stateMetrics(prometheus, sources)
  return { server: requestMetrics(prometheus), prompts: promptMetrics(prometheus), registry }
}
