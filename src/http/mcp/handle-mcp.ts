/** Answers one request to the MCP endpoint. This file loads the MCP SDK. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context/server-context.ts'
import { abortOnDisconnect } from '../response/abort-on-disconnect.ts'
import { createContextPort } from './context-port.ts'
import { createMcpServer } from './create-mcp-server.ts'

/** Every request has a server of its own, so no state is kept between requests. The guards have checked its sender. */
export async function handleMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ServerContext,
): Promise<Response> {
  const port = createContextPort(request, context)
  const handler = createMcpHandler(() => createMcpServer(port), {
    keepAliveMs: context.heartbeatMs,
    onerror: (error) => context.log.debug({ reason: error.message }, 'an MCP request was refused'),
  })
  return await handler.fetch(toWebRequest(request, abortOnDisconnect(reply.raw, context)), { parsedBody: request.body })
}

/** The body is passed beside it, because it is read already. */
function toWebRequest({ headers }: FastifyRequest, signal: AbortSignal): Request {
  const texts = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]))
  return new Request('http://localhost/mcp', { method: 'POST', headers: texts as [string, string][], signal })
}
