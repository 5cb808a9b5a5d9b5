/** Answers one request to the MCP endpoint. This file loads the MCP SDK. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMcpServer, type ToolHost } from '../../mcp/mcp-server.ts'
import { toToolDrover } from '../../service/tool-drover.ts'
import { toDecider, toRequestCaller } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'

/** Every request has its own server, so no state is kept between requests. The guards have checked its sender. */
export async function handleMcp(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ServerContext,
): Promise<Response> {
  const host = toHost(request, context)
  const handler = createMcpHandler(() => createMcpServer(host), {
    keepAliveMs: context.heartbeatMs,
    onerror: (error) => context.log.debug({ reason: error.message }, 'an MCP request was refused'),
  })
  return await handler.fetch(toWebRequest(request, abortOnDisconnect(reply.raw, context)), { parsedBody: request.body })
}

/** The tools do what the sender may do: with its key, its ceilings, its directories and its limits. */
function toHost(request: FastifyRequest, context: ServerContext): ToolHost {
  const { config, version, shutdown: closing } = context
  return {
    ...{ version, closing },
    by: toRequestCaller(request, context),
    sender: toDecider(request),
    drover: toToolDrover(context.drover, context.ids),
    defaultBackend: config.default_backend,
    waitSecs: config.server.mcp_wait_secs,
    note: (started) => Object.assign(request.facts, started),
  }
}

const BOTH = 'application/json, text/event-stream'

/** The body is passed beside it, because it is read already. A client that accepts everything accepts both formats of MCP. */
function toWebRequest({ headers: given }: FastifyRequest, signal: AbortSignal): Request {
  const headers = { ...given, accept: /\*\/\*/.test(given.accept ?? '*/*') ? BOTH : given.accept }
  const texts = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]))
  return new Request('http://localhost/mcp', { method: 'POST', headers: texts as [string, string][], signal })
}
