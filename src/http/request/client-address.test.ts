import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddress, createTrustedProxies } from './client-address.ts'

const seenThrough = (trusted: readonly string[], peer: string | undefined, forwardedFor?: string) =>
  clientAddress({ peer, forwardedFor }, createTrustedProxies(trusted))

describe('clientAddress', () => {
  it.each<[string, string[], string | undefined, string | undefined, string]>([
    ['the peer without proxies', [], '1.1.1.1', undefined, '1.1.1.1'],
    ['the peer who is not trusted', [], '1.1.1.1', '2.2.2.2', '1.1.1.1'],
    ['what a trusted proxy says', ['1.1.1.1'], '1.1.1.1', '2.2.2.2', '2.2.2.2'],
    ['what a proxy of a trusted range says', ['1.1.0.0/16'], '1.1.9.9', '2.2.2.2', '2.2.2.2'],
    ['the rightmost who is not trusted', ['1.1.1.1'], '1.1.1.1', '9.9.9.9, 2.2.2.2', '2.2.2.2'],
    ['the one behind two trusted proxies', ['10.0.0.0/8'], '10.0.0.1', '3.3.3.3, 10.0.0.2', '3.3.3.3'],
    ['the last trusted one when all are', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy before an entry that is no address', ['10.0.0.0/8'], '10.0.0.1', '3.3.3.3, nonsense', '10.0.0.1'],
    ['the proxy without the header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['an address without its port', ['10.0.0.1'], '10.0.0.1', '2.2.2.2:443', '2.2.2.2'],
    ['IPv6 in brackets', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['IPv6 through an IPv6 proxy', ['fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['IPv4 written as IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:2.2.2.2', '2.2.2.2'],
    ['an address without its zone', [], 'fe80::1%eth0', undefined, 'fe80::1'],
    ['nobody on a Unix socket, whatever it says', ['0.0.0.0/0'], undefined, '2.2.2.2', 'local'],
  ])('is %s', (_name, trusted, peer, forwardedFor, expected) => {
    expect(seenThrough(trusted, peer, forwardedFor)).toBe(expected)
  })

  it('is never chosen by the client: what it writes itself stands to the left of what a trusted proxy adds', () => {
    const client = fc.ipV4()
    fc.assert(
      fc.property(fc.string(), client, (forged, address) => {
        fc.pre(!address.startsWith('10.'))
        expect(seenThrough(['10.0.0.0/8'], '10.0.0.1', `${forged}, ${address}`)).toBe(address)
      }),
    )
  })

  it('takes any header without failing', () => {
    fc.assert(fc.property(fc.string(), (header) => void seenThrough(['0.0.0.0/0', '::/0'], '10.0.0.1', header)))
  })
})
