/** `GET /metrics`. The endpoint only exists if metrics are enabled. */
import type { RegisterRoutes } from '../context/server-context.ts'

export const registerMetrics: RegisterRoutes = (scope, { metrics }) => {
  if (metrics === undefined) return
  const { registry } = metrics
  scope.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
}
