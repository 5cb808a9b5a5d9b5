/** `POST /mcp`: the Model Context Protocol over streamable HTTP. */
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'

export const registerMcp: RegisterRoutes = (scope, context) => {
  scope.post('/mcp', async (request, reply) => {
    checkBody(request.body, (body) => body)
    // The SDK takes as long to load as the whole server, and most servers never need it.
    const { handleMcp } = await import('./handle-mcp.ts')
    return reply.send(await handleMcp(request, reply, context))
  })
}
