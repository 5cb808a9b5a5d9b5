/** Which key a request carries, and whether it may go on. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKey, KeyRing } from '../../config/api-keys.ts'
import { unauthorized } from '../errors/faults.ts'

export type Identity = { is: 'known'; key: ApiKey } | { is: 'missing' | 'invalid' }

/** `X-Api-Key` goes first: clients that send both often fill `Authorization` with something of their own. */
export function identify(headers: IncomingHttpHeaders, keys: KeyRing): Identity {
  const presented = presentedKey(headers)
  if (presented === undefined) return { is: 'missing' }
  const key = keys.find(presented)
  return key === undefined ? { is: 'invalid' } : { is: 'known', key }
}

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key']
  if (typeof own === 'string' && own !== '') return own
  return bearerToken(headers.authorization)
}

/** RFC 7235: the name of the scheme is case-insensitive. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^bearer[ \t]+(\S(?:.*\S)?)[ \t]*$/i.exec(header ?? '')?.[1]
}

/** What tells nothing about anybody: whether the server is up, and what it can do. */
const OPEN_PATHS = /^(?:\/health|\/openapi\.json|\/docs|\/docs\/.*)$/

export function requireKey(
  call: { path: string; identity: Identity },
  rules: { keys: KeyRing; isMetricsPublic: boolean },
) {
  const { path, identity } = call
  const isOpen = OPEN_PATHS.test(path) || (rules.isMetricsPublic && path === '/metrics')
  if (!rules.keys.isRequired || isOpen || identity.is === 'known') return
  throw unauthorized({ problem: identity.is })
}
