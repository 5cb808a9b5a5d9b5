import type { QueueLoad, WorkQueue } from '../../executions/store/work-queue.ts'
import { toErrorMessage } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import type { Slots } from '../../prompts/concurrency-slots.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Prometheus } from './prometheus.ts'

export type StateSources = {
  version: string
  slots: Pick<Slots, 'load'>
  store: Pick<SessionStore, 'list'>
  log: Log
  /** The queue of all machines, if there is one. */
  queue: Pick<WorkQueue, 'load'> | undefined
}

/** Gauges whose values are read when the metrics are collected. */
export function stateMetrics(prometheus: Prometheus, { version, slots, store, log, queue }: StateSources): void {
  const { client, registry } = prometheus
  if (queue !== undefined) queueMetrics(prometheus, queue)
  const registers = [registry]
  new client.Gauge({ name: 'drover_build_info', help: 'Always 1.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  new client.Gauge({
    name: 'drover_running_agents',
    help: 'Agents that are running.',
    registers,
    collect() {
      this.set(slots.load().running)
    },
  })
  new client.Gauge({
    name: 'drover_queue_length',
    help: 'Prompts waiting for a free slot.',
    registers,
    collect() {
      this.set(slots.load().queued)
    },
  })
  new client.Gauge({
    name: 'drover_active_sessions',
    help: 'Sessions that are active, or paused and resumable.',
    registers,
    async collect() {
      this.set(await countActive(store, log))
    },
  })
}

/** Of all machines together. If the store fails, the other metrics are still collected. */
function queueMetrics({ client, registry }: Prometheus, queue: Pick<WorkQueue, 'load'>): void {
  const gauge = (name: string, help: string, read: (load: QueueLoad) => number) =>
    new client.Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await queue.load().then(read, () => Number.NaN))
      },
    })
  gauge('drover_shared_queue_length', 'Prompts that wait for a worker on any machine.', ({ waiting }) => waiting)
  gauge('drover_shared_queue_running', 'Prompts of the queue that run on any machine.', ({ running }) => running)
  const oldest = 'How long the first prompt of the queue has waited.'
  gauge('drover_shared_queue_oldest_seconds', oldest, ({ oldestSecs }) => oldestSecs)
}

/** The store maintains these counts. If it fails, the other metrics are still collected. */
async function countActive(store: StateSources['store'], log: Log): Promise<number> {
  try {
    const pages = (['active', 'paused'] as const).map((status) => store.list({ status }, { limit: 1, offset: 0 }))
    return (await Promise.all(pages)).reduce((sum, { total }) => sum + total, 0)
  } catch (error) {
    log.error({ reason: toErrorMessage(error) }, 'the sessions could not be counted')
    return Number.NaN
  }
}
