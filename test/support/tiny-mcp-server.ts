/**
 * A small MCP server with one tool, written with the SDK: `look` answers with its argument and with a digest of the secret that the server got.
 * Started as a program it speaks on standard input and output.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const inputSchema = { type: 'object' as const, properties: { x: { type: 'string' } } }

export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 12)

function createTinyServer(secret: string): Server {
  const server = new Server({ name: 'tiny', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'look', description: 'Looks something up', inputSchema }],
  }))
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: `found ${params.arguments?.['x']} with ${digestOf(secret)}` }],
  }))
  return server
}

/** The same over HTTP. The secret is what the header `Authorization` has. */
export async function serveTiny(): Promise<{ url: string; methods: string[]; close(): Promise<void> }> {
  const methods: string[] = []
  const listener = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    methods.push(request.method ?? '')
    const { authorization = '' } = request.headers
    if (authorization === '') return void reply.writeHead(401).end()
    const handler = createMcpHandler(() => createTinyServer(authorization))
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]) as [string, string][]
    const body = Buffer.concat(chunks)
    const init = { method: request.method ?? 'POST', headers, ...(body.length > 0 && { body }) }
    const response = await handler.fetch(new Request('http://localhost/mcp', init))
    reply.writeHead(response.status, Object.fromEntries(response.headers))
    reply.end(Buffer.from(await response.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    methods,
    close: async () => {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--broken')) process.exit(3)
  serveStdio(() => createTinyServer(process.env['TINY_TOKEN'] ?? ''))
}
