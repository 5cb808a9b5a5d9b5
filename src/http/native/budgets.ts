/** `GET /api/v1/budgets` */
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { sendJson } from '../response/send-json.ts'

export const registerBudgets: RegisterRoutes = (scope, context) => {
  scope.get('/budgets', async (request, reply) =>
    sendJson(reply, await context.drover.budgets.list(toRequestCaller(request, context))),
  )
}
