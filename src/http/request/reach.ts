/** How far an address reaches. What counts is where the server really listens, not what the operator has written. */
import { BlockList, isIP } from 'node:net'

/** `machine`: programs of this machine alone. `public`: every network that it is on. `network`: one of them. */
export type Reach = 'machine' | 'network' | 'public'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const UNSPECIFIED = new BlockList()
UNSPECIFIED.addAddress('0.0.0.0', 'ipv4')
UNSPECIFIED.addAddress('::', 'ipv6')

/** Of an IP address, in whichever of its forms. */
export function reachOf(address: string): Reach {
  if (isLoopback(address)) return 'machine'
  return isIn(UNSPECIFIED, address) ? 'public' : 'network'
}

/** Whether a `Host` header has a name or an address under which a machine knows itself. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  if (/^(?:[a-z0-9-]+\.)*localhost\.?$/.test(name)) return true
  return isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}

/** An IPv6 address stands in brackets wherever a port may follow. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Every request is asked this; for the common case no list has to be gone through. */
function isLoopback(address: string): boolean {
  return isIP(address) === 4 ? address.startsWith('127.') : isIn(LOOPBACK, address)
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
