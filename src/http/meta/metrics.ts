/** `GET /metrics`. The endpoint only exists if metrics are enabled. */
import { visibleKeyId } from '../../prompts/caller.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'

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
