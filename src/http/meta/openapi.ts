/** `GET /openapi.json` */
import type { FastifyRequest } from 'fastify'
import type { RegisterRoutes } from '../context/server-context.ts'
import { sendDocument, toDocument } from '../response/send-json.ts'

export const registerOpenApi: RegisterRoutes = (scope, { version }) => {
  scope.get('/openapi.json', async (request, reply) => {
    const { OPENAPI } = await import('./openapi.generated.js')
    const servers = [{ url: serverAddress(request), description: 'This server' }]
    const document = { ...OPENAPI, info: { ...OPENAPI.info, version }, servers }
    return sendDocument({ request, reply }, toDocument('application/json; charset=utf-8', JSON.stringify(document)))
  })
}

/** A host name or IP address, with or without a port. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The address that the client used. Fastify reads it from `X-Forwarded-*` headers only if a trusted proxy sent them. */
export function serverAddress({ host, protocol }: Pick<FastifyRequest, 'host' | 'protocol'>): string {
  if (!HOST.test(host)) return '/'
  return `${protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${host}`
}
