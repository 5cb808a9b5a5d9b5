/** `POST /mcp`: the Model Context Protocol over streamable HTTP. */
import type { RegisterRoutes } from '../context/server-context.ts'
import { checkBody } from '../request/body.ts'

/** An invalid request of JSON-RPC 2.0. */
const BATCH_REFUSED = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'a request has one message; send those of a batch one by one' },
}

export const registerMcp: RegisterRoutes = (scope, context) => {
  scope.post('/mcp', async (request, reply) => {
    const body = checkBody(request.body, (given) => given)
    // Limits count requests. MCP has had no batches since its version 2025-06-18.
    if (Array.isArray(body)) return reply.code(400).send(BATCH_REFUSED)
    // The SDK takes as long to load as the whole server, and most servers never need it.
    const { handleMcp } = await import('./handle-mcp.ts')
    return reply.send(await handleMcp(request, reply, context))
  })
}
