import type { FastifyRequest } from 'fastify'
import type { TrustedProxies } from '../request/client-address.ts'

/** A name or an address, with or without a port. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Where the client reached this server. A proxy is believed only where the operator trusts it. */
export function serverAddress(
  { headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>,
  proxies: TrustedProxies,
): string {
  const isProxied = proxies.includes(raw.socket.remoteAddress ?? '')
  const host = (isProxied && lastOf(headers['x-forwarded-host'])) || headers.host
  if (host === undefined || !HOST.test(host)) return '/'
  const isSecure = isProxied && lastOf(headers['x-forwarded-proto'])?.toLowerCase() === 'https'
  return `${isSecure ? 'https' : 'http'}://${host}`
}

/** What stands further left the trusted proxy was sent by somebody, who may be anybody. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim()
}
