/** `GET /health` and `GET /ready` */
import { toErrorMessage } from '../../kit/fault.ts'
import { visibleKeyId } from '../../prompts/caller.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { findMachines, isInstalled, type MachinesOf } from '../native/backends.ts'
import type { Health, Ready } from './health.shape.ts'

export const registerHealth: RegisterRoutes = (scope, context) => {
  const checkStore = atMostOnce(() => checkStoreNow(context))
  scope.get('/health', async (request, reply) => {
    const health = await assessHealth(context, checkStore)
    const seesAll = visibleKeyId(toRequestCaller(request, context)) === undefined
    return reply.code(health.status === 'unhealthy' ? 503 : 200).send(seesAll ? health : withoutCount(health))
  })
  const checkReady = atMostOnce(() => isReady(context))
  scope.get('/ready', async (_, reply) => {
    const ready: Ready = { ready: await checkReady() }
    return reply.code(ready.ready ? 200 : 503).send(ready)
  })
}

function withoutCount({ session_store: { session_count: _, ...store }, ...health }: Health): Health {
  return { ...health, session_store: store }
}

type Checked = { store: Health['session_store']; machinesOf: MachinesOf }

async function assessHealth(context: ServerContext, checkStore: () => Promise<Checked>): Promise<Health> {
  const uptimeMs = context.clock.now().getTime() - context.startedAt.getTime()
  const { store, machinesOf } = await checkStore()
  const backends = backendHealth(context, machinesOf)
  const isComplete = backends.every(({ available }) => available)
  return {
    status: store.available ? (isComplete ? 'ok' : 'degraded') : 'unhealthy',
    version: context.version,
    uptime: formatUptime(uptimeMs),
    uptime_ms: uptimeMs,
    backends,
    session_store: store,
  }
}

/** Formats `7s`, `2m31s` or `1h0m5s`. Hours are not converted to days, and leading zero units are omitted. */
export function formatUptime(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const units = [hours > 0 && `${hours}h`, seconds >= 60 && `${minutes}m`, `${seconds % 60}s`]
  return units.filter(Boolean).join('')
}

/** Disabled backends do not affect the health. */
function backendHealth({ drover: { agents } }: ServerContext, machinesOf: MachinesOf): Health['backends'] {
  const enabled = agents.list().filter(({ isEnabled }) => isEnabled)
  return enabled.map((agent) => {
    const version = agents.knownVersion(agent)
    return {
      name: agent.backend,
      available: isInstalled(agent, machinesOf(agent)),
      ...(version !== undefined && { version }),
      ...(agent.isDemo && { demo: true as const }),
    }
  })
}

/** A check writes to the disk, and everyone may send this request. */
const STORE_CHECK_MS = 1000

/** Checks at most once per `STORE_CHECK_MS`; requests in between get the last result. */
function atMostOnce<T>(check: () => Promise<T>): () => Promise<T> {
  let last: { at: number; checked: Promise<T> } | undefined
  return () => {
    if (last === undefined || performance.now() - last.at > STORE_CHECK_MS) {
      last = { at: performance.now(), checked: check() }
    }
    return last.checked
  }
}

/** A load balancer asks often, so nothing is counted. A server that is stopping refuses the request. */
async function isReady({ drover, log }: ServerContext): Promise<boolean> {
  try {
    await drover.opened.sessions.checkWritable()
    return true
  } catch (error) {
    log.warn({ reason: toErrorMessage(error) }, 'the server is not ready')
    return false
  }
}

/** The endpoint needs no API key, so the cause of a failure is only logged. */
async function checkStoreNow(context: ServerContext): Promise<Checked> {
  const { drover, log } = context
  const store = drover.opened.sessions
  try {
    await store.checkWritable()
    const [sessions, machinesOf] = await Promise.all([store.count(), findMachines(context)])
    return { store: { available: true, session_count: sessions }, machinesOf }
  } catch (error) {
    const problem = 'the session store is not available'
    log.error({ reason: toErrorMessage(error) }, problem)
    return { store: { available: false, session_count: 0, error: problem }, machinesOf: () => undefined }
  }
}
