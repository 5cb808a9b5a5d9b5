/** Who is calling, seen through proxies. */
import { BlockList, isIP } from 'node:net'

/** What stands for the address of a peer on a Unix socket. */
const LOCAL_PEER = 'local'

export type TrustedProxies = { includes(address: string): boolean }

/** From IP addresses and CIDR ranges that the configuration has checked. */
export function createTrustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  const hasAny = ranges.length > 0
  return { includes: (address) => hasAny && isIP(address) !== 0 && list.check(address, familyOf(address)) }
}

/**
 * `X-Forwarded-For` grows to the right, each proxy adding the peer it saw. So it is read from the right, and believed as
 * long as the one who added an entry is a trusted proxy: what stands further left anybody may have written.
 */
export function clientAddress(
  call: { peer: string | undefined; forwardedFor: string | undefined },
  proxies: TrustedProxies,
): string {
  let address = peerAddress(call.peer)
  if (call.forwardedFor === undefined) return address
  const hops = call.forwardedFor.split(',').reverse()
  for (const hop of hops) {
    const next = plainAddress(hop.trim())
    if (!proxies.includes(address) || next === undefined) break
    address = next
  }
  return address
}

/** As everybody is to write it. */
export function peerAddress(peer: string | undefined): string {
  return peer === undefined ? LOCAL_PEER : (plainAddress(peer) ?? peer)
}

/** Without port, brackets, zone or the IPv6 form of an IPv4 address; undefined for what is no address. */
function plainAddress(text: string): string | undefined {
  if (isIP(text) === 4) return text
  const withoutPort = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = withoutPort.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIP(address) === 0 ? undefined : address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
