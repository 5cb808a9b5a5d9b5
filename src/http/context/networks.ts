import { isIP } from 'node:net'

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
