import { describe, expect, it } from 'vitest'
import { loopbackPorts, parseHostRule, parseTarget, permitsAddress, refusalOf } from './host-rules.ts'

const rules = (...texts: string[]) => texts.flatMap((text) => parseHostRule(text) ?? [])

describe('a rule for hosts', () => {
  it.each([
    ['example.com', 'example.com', 443, undefined],
    ['example.com', 'example.com', 80, undefined],
    ['example.com', 'example.com', 22, 'port not listed'],
    ['example.com:22', 'example.com', 22, undefined],
    ['example.com:22', 'example.com', 443, 'port not listed'],
    ['Example.COM', 'example.com', 443, undefined],
    ['example.com', 'www.example.com', 443, 'not listed'],
    ['example.com', 'badexample.com', 443, 'not listed'],
    ['*.example.com', 'a.b.example.com', 443, undefined],
    ['*.example.com', 'example.com', 443, undefined],
    ['*.example.com', 'badexample.com', 443, 'not listed'],
    ['example.com', '93.184.215.14', 443, 'not listed'],
    ['93.184.215.14', '93.184.215.14', 443, undefined],
    ['93.184.215.14', '93.184.215.15', 443, 'not listed'],
    ['10.0.0.0/8:5432', '10.255.255.255', 5432, undefined],
    ['10.0.0.0/8:5432', '11.0.0.0', 5432, 'not listed'],
    ['[2001:db8::1]:8080', '2001:db8::1', 8080, undefined],
    ['[2001:db8::1]:8080', '2001:db8::1', 443, 'port not listed'],
    ['localhost:3000', 'localhost', 3000, undefined],
    ['localhost:3000', '127.0.0.1', 3000, undefined],
    ['localhost:3000', '127.0.0.1', 3001, 'port not listed'],
    ['npm', 'registry.npmjs.org', 443, undefined],
    ['pypi', 'files.pythonhosted.org', 443, undefined],
    ['crates', 'static.crates.io', 443, undefined],
    ['go', 'proxy.golang.org', 443, undefined],
    ['debian', 'deb.debian.org', 80, undefined],
  ])('%s: %s port %i is %s', (text, host, port, refusal) => {
    expect(refusalOf({ host, port }, rules(text))).toBe(refusal)
  })

  it.each([
    '',
    '*',
    '*.',
    'a b',
    'http://example.com',
    'example.com:0',
    'example.com:65536',
    'example.com/',
    '-a.com',
    '1.2.3',
    '10.0.0.0/33',
    '[::1',
    'a'.repeat(254),
  ])('cannot be %j', (text) => expect(parseHostRule(text)).toBeUndefined())

  it.each(['example.com:1', 'example.com:65535', 'a'.repeat(63), '10.0.0.0/32', '::1', '[::1]'])(
    'can be %j',
    (text) => {
      expect(parseHostRule(text)).toBeDefined()
    },
  )
})

describe('an address that a name resolves to', () => {
  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
    ],
    ...[
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::127.0.0.1',
      'fc00::1',
      'fd00::1',
      'fe80::1',
      'ff02::1',
    ],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ])('%s is refused, because it is private', (address) => {
    expect(permitsAddress(address, rules('example.com'))).toBe(false)
  })

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ])('%s is public', (address) => expect(permitsAddress(address, [])).toBe(true))

  it('may be private if it is listed itself', () => {
    const listed = rules('registry.internal', '10.20.0.0/16')
    expect(permitsAddress('10.20.255.255', listed)).toBe(true)
    expect(permitsAddress('10.21.0.0', listed)).toBe(false)
  })
})

it('only ports of the loopback that are named are opened inside', () => {
  expect(
    loopbackPorts(
      rules('127.0.0.1', 'localhost:3000', '127.0.0.1:3001', 'localhost:80', '10.0.0.1:3002', 'example.com:3003'),
    ),
  ).toEqual([3000, 3001])
})

it.each([
  ['example.com:443', { host: 'example.com', port: 443 }],
  ['EXAMPLE.com:443', { host: 'example.com', port: 443 }],
  ['[::1]:443', { host: '::1', port: 443 }],
  ['example.com', undefined],
  ['example.com:0', undefined],
  ['example.com:65536', undefined],
  ['::1:443', undefined],
  ['exa mple.com:443', undefined],
  ['a\r\nb:443', undefined],
])('the target %j is %j', (text, target) => expect(parseTarget(text)).toEqual(target))
