/** `GET /openapi.json` */
import type { FastifyRequest } from 'fastify'
import type { RegisterRoutes } from '../context/server-context.ts'
import { sendDocument, toDocument } from '../response/send-json.ts'

export const registerOpenApi: RegisterRoutes = (scope, { version, config }) => {
  const names = Object.keys(config.backends).filter((name) => config.backends[name]?.enabled)
  scope.get('/openapi.json', async (request, reply) => {
    const { OPENAPI } = await import('./openapi.generated.js')
    const servers = [{ url: serverAddress(request), description: 'This server' }]
    const document = { ...OPENAPI, info: { ...OPENAPI.info, version }, servers }
    const body = JSON.stringify(withBackends(document, names))
    return sendDocument({ request, reply }, toDocument('application/json; charset=utf-8', body))
  })
}

type Components = Readonly<Record<'schemas', Readonly<Record<string, object>>>>

/** The description of a backend's name lists the backends of this server. */
function withBackends(document: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const components = document['components'] as Components
  const described = { ...components.schemas['BackendName'], description: `A backend: ${names.join(', ')}.` }
  return { ...document, components: { ...components, schemas: { ...components.schemas, BackendName: described } } }
}

/** A host name or IP address, with or without a port. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The address that the client used. Fastify reads it from `X-Forwarded-*` headers only if a trusted proxy sent them. */
export function serverAddress({ host, protocol }: Pick<FastifyRequest, 'host' | 'protocol'>): string {
  if (!HOST.test(host)) return '/'
  return `${protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${host}`
}
