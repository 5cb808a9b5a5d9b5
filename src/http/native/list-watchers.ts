/** `GET /api/v1/watchers` */
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { sendJson } from '../response/send-json.ts'

export const registerWatchers: RegisterRoutes = (scope, context) => {
  scope.get('/watchers', async (request, reply) =>
    sendJson(reply, { watchers: await context.drover.watchers.list(toRequestCaller(request, context)) }),
  )
}
