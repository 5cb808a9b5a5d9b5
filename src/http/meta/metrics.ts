/** `GET /metrics`: Prometheus metrics. The endpoint only exists, and prom-client is only loaded, if metrics are enabled. */
import type { Registry } from 'prom-client'
import type { Machines } from '../../executions/store/machines.ts'
import type { QueueLoad, WorkQueue } from '../../executions/store/work-queue.ts'
import { toErrorMessage } from '../../kit/fault.ts'
import type { Log } from '../../kit/log.ts'
import { USER, visibleKeyId } from '../../prompts/caller.ts'
import type { Slots } from '../../prompts/concurrency-slots.ts'
import { PART_KINDS, type PromptObserver, type RunOutcome } from '../../prompts/prompt-context.ts'
import type { DroverService } from '../../service/drover-service.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { Metrics, RegisterRoutes, ServerContext, ServerObserver } from '../context/server-context.ts'

export const registerMetrics: RegisterRoutes = (scope, context) => {
  const { metrics } = context
  if (metrics === undefined) return
  const { registry, budgets } = metrics
  scope.get('/metrics', async (request, reply) => {
    const seesAll = visibleKeyId(toRequestCaller(request, context)) === undefined
    const text = `${await registry.metrics()}${seesAll ? await budgets.metrics() : ''}`
    return reply.type(registry.contentType).send(text)
  })
}

/** Adds metrics to the context if the configuration enables them. */
export async function withMetrics(context: ServerContext): Promise<ServerContext> {
  if (!context.config.server.metrics_enabled) return context
  const { version, log, drover } = context
  const { sessions: store, queue, machines } = drover.opened
  const backends = Object.keys(context.config.backends)
  const budgets = drover.budgets
  const metrics = await createMetrics(
    { version, store, log, slots: drover.slots, waitingTurns: () => drover.waitingTurns, queue, machines, budgets },
    backends,
  )
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
  const budgets = new client.Registry()
  budgetMetrics({ client, registry: budgets }, sources)
  return { server: requestMetrics(prometheus), prompts: promptMetrics(prometheus, backends), registry, budgets }
}

/** Requests take milliseconds, or many minutes if they run an agent. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

function requestMetrics({ client, registry }: Prometheus): ServerObserver {
  const registers = [registry]
  const requests = new client.Counter({
    name: 'drover_requests_total',
    help: 'Finished requests, by the path of their route.',
    labelNames: ['method', 'path', 'status'],
    registers,
  })
  const durations = new client.Histogram({
    name: 'drover_request_duration_seconds',
    help: 'Time from the start of a request to the last byte of its response.',
    labelNames: ['method', 'path'],
    buckets: BUCKETS,
    registers,
  })
  const failed = new client.Counter({
    name: 'drover_requests_refused_total',
    help: 'Requests with an error response, by error code.',
    labelNames: ['reason'],
    registers,
  })
  const byKey = new client.Counter({
    name: 'drover_key_requests_total',
    help: 'Requests with a valid API key, by the name of the key.',
    labelNames: ['key'],
    registers,
  })
  const inFlight = new client.Gauge({
    name: 'drover_requests_in_flight',
    help: 'Requests in progress.',
    registers,
  })
  return {
    requestStarted: () => inFlight.inc(),
    requestDone({ method, route, status, seconds, errorCode, keyName }) {
      requests.inc({ method, path: route, status })
      durations.observe({ method, path: route }, seconds)
      if (errorCode !== undefined) failed.inc({ reason: errorCode })
      if (keyName !== undefined) byKey.inc({ key: keyName })
      inFlight.dec()
    },
  }
}

type StateSources = {
  version: string
  slots: Pick<Slots, 'load'>
  waitingTurns(): number
  store: Pick<SessionStore, 'list'>
  log: Log
  /** The queue of all machines, if there is one. */
  queue: Pick<WorkQueue, 'load'> | undefined
  /** Those machines, if there is a queue. */
  machines: Pick<Machines, 'list'> | undefined
  budgets: DroverService['budgets']
}

function stateMetrics(prometheus: Prometheus, { version, slots, waitingTurns, ...sources }: StateSources): void {
  const { store, log, queue, machines } = sources
  const { client, registry } = prometheus
  if (queue !== undefined) queueMetrics(prometheus, queue)
  if (machines !== undefined) machineMetrics(prometheus, machines)
  const registers = [registry]
  new client.Gauge({ name: 'drover_build_info', help: 'Always 1.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  const gauge = readGauges(prometheus)
  gauge('drover_running_agents', 'Agents that are running.', () => slots.load().running)
  const waiting = 'Agents that wait for results of tools that their clients run. They are not among the running ones.'
  gauge('drover_waiting_turns', waiting, waitingTurns)
  gauge('drover_queue_length', 'Prompts waiting for a free slot.', () => slots.load().queued)
  const active = 'Sessions that are active, or paused and resumable.'
  gauge('drover_active_sessions', active, () => countActive(store, log))
}

/** Adds gauges whose values are read when the metrics are collected. */
function readGauges({ client, registry }: Prometheus) {
  return (name: string, help: string, read: () => number | Promise<number>) =>
    new client.Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read())
      },
    })
}

/** The figures that prompts are refused by. If the store fails, the other metrics are still collected. */
function budgetMetrics(
  { client, registry }: Prometheus,
  { budgets, log }: Pick<StateSources, 'budgets' | 'log'>,
): void {
  new client.Gauge({
    name: 'drover_budget',
    help: 'The limit of each budget, what was used in this period and what is reserved, in its unit.',
    labelNames: ['budget', 'unit', 'period', 'amount'],
    registers: [registry],
    async collect() {
      this.reset()
      try {
        for (const { name: budget, unit, period, ...of } of (await budgets.list(USER)).budgets)
          for (const amount of ['limit', 'used', 'reserved'] as const)
            this.set({ budget, unit, period, amount }, of[amount])
      } catch (error) {
        log.error({ reason: toErrorMessage(error) }, 'the budgets could not be read')
      }
    },
  })
}

/** Of all machines together. If the store fails, the other metrics are still collected. */
function queueMetrics(prometheus: Prometheus, queue: Pick<WorkQueue, 'load'>): void {
  const { client, registry } = prometheus
  const add = readGauges(prometheus)
  const gauge = (name: string, help: string, read: (load: QueueLoad) => number) =>
    add(name, help, () => queue.load().then(read, () => Number.NaN))
  gauge('drover_shared_queue_length', 'Prompts that wait for a worker on any machine.', ({ waiting }) => waiting)
  gauge('drover_shared_queue_running', 'Prompts of the queue that run on any machine.', ({ running }) => running)
  const oldest = 'How long the first prompt of the queue has waited.'
  gauge('drover_shared_queue_oldest_seconds', oldest, ({ oldestSecs }) => oldestSecs)
  new client.Gauge({
    name: 'drover_shared_queue_labeled_length',
    help: 'Prompts that wait for a worker with a label.',
    labelNames: ['label'],
    registers: [registry],
    async collect() {
      this.reset()
      const load = await queue.load().catch(() => undefined)
      for (const [label, waiting] of load?.labeled ?? []) this.set({ label }, waiting)
    },
  })
}

/** What an autoscaler asks for. A machine that is forgotten has no more values. */
function machineMetrics({ client, registry }: Prometheus, machines: Pick<Machines, 'list'>): void {
  const counter = (name: string, help: string, field: 'claims' | 'lost') =>
    new client.Counter({
      name,
      help,
      labelNames: ['machine'],
      registers: [registry],
      async collect() {
        const known = await machines.list().catch(() => undefined)
        if (known !== undefined) this.reset()
        for (const machine of known?.machines ?? []) this.inc({ machine: machine.name }, machine[field])
      },
    })
  counter('drover_shared_queue_claims_total', 'Prompts that a machine has taken from the queue.', 'claims')
  counter('drover_shared_queue_lost_total', 'Executions of a machine that were lost, because a process died.', 'lost')
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

function promptMetrics({ client, registry }: Prometheus, backends: readonly string[]): PromptObserver {
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

/** What every metric is created with. */
type Prometheus = { client: typeof import('prom-client'); registry: Registry }
