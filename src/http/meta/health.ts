import type { ServerContext } from '../context/server-context.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import type { Health } from './health.shape.ts'
import { formatUptime } from './uptime.ts'

export const registerHealth: RegisterRoutes = (scope, context) => {
  scope.get('/health', async (_request, reply) => {
    const health = await judgeHealth(context)
    return reply.code(health.status === 'unhealthy' ? 503 : 200).send(health)
  })
}

async function judgeHealth(context: ServerContext): Promise<Health> {
  const uptimeMs = context.clock.now().getTime() - context.startedAt.getTime()
  const backends = backendHealth(context)
  const store = await storeHealth(context)
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

/** A backend that the operator disabled is not missed. */
function backendHealth({ agents }: ServerContext): Health['backends'] {
  const enabled = agents.list().filter(({ isEnabled }) => isEnabled)
  return enabled.map((agent) => {
    const version = agents.knownVersion(agent)
    return {
      name: agent.backend,
      available: agent.program !== undefined,
      ...(version !== undefined && { version }),
      ...(agent.isDemo && { demo: true as const }),
    }
  })
}

/** Anybody may ask for the health, so why the store fails is for the log alone. */
async function storeHealth({ store, log }: ServerContext): Promise<Health['session_store']> {
  try {
    return { available: true, session_count: await store.count() }
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'the session store does not answer')
    return { available: false, session_count: 0, error: 'the session store does not answer' }
  }
}
