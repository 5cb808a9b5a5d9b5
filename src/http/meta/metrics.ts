import type { RegisterRoutes } from '../register-routes.ts'

/** Without metrics there is no such path. */
export const registerMetrics: RegisterRoutes = (scope, { metrics }) => {
  if (metrics === undefined) return
  const { registry } = metrics
  scope.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
}
