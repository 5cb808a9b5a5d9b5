import { serverAddress } from '../openapi/server-address.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import { createTrustedProxies } from '../request/client-address.ts'
import { sendCached, toDocument } from '../response/send-cached.ts'

export const registerOpenApi: RegisterRoutes = (scope, { config, version }) => {
  const proxies = createTrustedProxies(config.server.trusted_proxies)
  scope.get('/openapi.json', async (request, reply) => {
    const { OPENAPI } = await import('../openapi/document.generated.js')
    const servers = [{ url: serverAddress(request, proxies), description: 'This server' }]
    const body = JSON.stringify({ ...OPENAPI, info: { ...OPENAPI.info, version }, servers })
    return sendCached({ request, reply }, toDocument('application/json; charset=utf-8', body))
  })
}
