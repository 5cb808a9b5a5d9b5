/** The address of a server, and who can reach it: that depends on the bound address, which may differ from the configured host. */
import { BlockList, isIP, isIPv6, type Server } from 'node:net'

export type ListenAddress = { host: string; port: number } | { socket: string }

/** The address after binding: the IP address that the host resolved to, and the port that the system assigned. */
export type BoundAddress = { host: string; address: string; port: number } | { socket: string }

/** `loopback`: only programs on this machine. `network`: one network interface. `public`: all interfaces. */
export type Exposure = 'loopback' | 'network' | 'public'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const UNSPECIFIED = new BlockList()
UNSPECIFIED.addAddress('0.0.0.0', 'ipv4')
UNSPECIFIED.addAddress('::', 'ipv6')

/** The exposure of a server that is bound to this IP address. */
export function findExposure(address: string): Exposure {
  if (isLoopback(address)) return 'loopback'
  return isIn(UNSPECIFIED, address) ? 'public' : 'network'
}

/** Who can reach a server, once it listens. Remembered, because every question for the address is a system call. */
export class ServerExposure {
  #listener: Server | undefined
  #found: Exposure | 'owner' | undefined

  listensWith(listener: Server): void {
    this.#listener = listener
  }

  /** Other machines can reach it. */
  get isReachable(): boolean {
    return this.#find() === 'network' || this.#find() === 'public'
  }

  /** Only programs on this machine can reach it, browsers included. Browsers cannot connect to a Unix socket. */
  get isLoopback(): boolean {
    return this.#find() === 'loopback'
  }

  /** Only the owner can open a Unix socket. */
  #find(): Exposure | 'owner' {
    if (this.#found !== undefined) return this.#found
    const address = this.#listener?.address() ?? null
    const found = address === null || typeof address === 'string' ? 'owner' : findExposure(address.address)
    if (this.#listener?.listening === true) this.#found = found
    return found
  }
}

/** Whether a `Host` header names this machine: `localhost` or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  if (/^(?:[a-z0-9-]+\.)*localhost\.?$/.test(name)) return true
  return isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}

/** Puts an IPv6 address in brackets, as required before a port. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The base URL for clients on this machine. A server that listens on all interfaces is reached through loopback. */
export function baseUrl(bound: BoundAddress): string {
  if ('socket' in bound) return 'http://localhost'
  const { host, address, port } = bound
  const isPublic = findExposure(address) === 'public'
  return `http://${isPublic ? (isIPv6(address) ? '[::1]' : '127.0.0.1') : bracketed(host)}:${port}`
}

export function formatAddress(address: ListenAddress): string {
  if ('socket' in address) return address.socket
  return `${bracketed(address.host)}:${address.port}`
}

/** Called for every request, so the common IPv4 case avoids the BlockList. */
function isLoopback(address: string): boolean {
  return isIP(address) === 4 ? address.startsWith('127.') : isIn(LOOPBACK, address)
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** The /64 network of an IPv6 address, because one machine can use any address in it. An IPv4 address stays as it is. */
export function toNetwork(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const parts = head.split(':').filter(Boolean)
  const rest = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - parts.length - rest.length)).fill('0')
  return [...parts, ...zeros, ...rest]
    .slice(0, 4)
    .map((part) => part.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')
}
