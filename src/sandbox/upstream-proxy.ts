/** The proxy through which this machine reaches others, if its environment names one. The hosts are checked before. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { Environment } from '../kit/process/child-environment.ts'
import type { HostTarget } from './host-rules.ts'

const NAMES = {
  'https:': ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
} as const
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
const MAX_ANSWER = 16 * 1024

/** Undefined: connect directly. Addresses and names of this machine are never asked of a proxy. Pure. */
export function chooseUpstream(env: Environment, { host, port }: HostTarget, scheme: keyof typeof NAMES) {
  const named = NAMES[scheme].map((name) => env[name] ?? '').find((value) => value !== '')
  if (named === undefined || isIP(host) > 0 || host === 'localhost' || isExempt(env, { host, port })) return undefined
  const text = named.includes('://') ? named : `http://${named}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && Object.hasOwn(DEFAULT_PORTS, url.protocol) ? url : undefined
}

function isExempt(env: Environment, { host, port }: HostTarget): boolean {
  const rules = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(',').map((rule) => rule.trim().toLowerCase())
  return rules.some((rule) => {
    const [name = '', only] = rule.split(':')
    const bare = name.replace(/^\*?\./, '')
    if (rule === '*') return true
    return bare !== '' && (only ?? String(port)) === String(port) && (host === bare || host.endsWith(`.${bare}`))
  })
}

export function addressOf({ hostname, port, protocol }: URL): HostTarget {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }
}

export function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** A socket that emits `established` when the proxy has connected it with the host. */
export function connectThrough(proxy: URL, { host, port }: HostTarget): Socket {
  const place = addressOf(proxy)
  const isSecure = proxy.protocol === 'https:'
  const socket = isSecure
    ? connectSecurely({ ...place, ...(isIP(place.host) === 0 && { servername: place.host }) })
    : connect({ ...place, allowHalfOpen: true })
  const headers = Object.entries({ Host: `${host}:${port}`, ...authorizationOf(proxy) })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n${lines}\r\n`)
  })
  let answer = ''
  socket.on('readable', function read() {
    for (let chunk = socket.read(1); chunk !== null; chunk = socket.read(1)) {
      answer += chunk.toString('latin1')
      if (!answer.endsWith('\r\n\r\n') && answer.length < MAX_ANSWER) continue
      socket.off('readable', read)
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 'nothing'
      if (status === '200') socket.emit('established')
      else socket.destroy(new Error(`the proxy ${place.host}:${place.port} answers ${status}`))
      return
    }
  })
  return socket
}
