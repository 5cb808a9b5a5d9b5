/** Which hosts a sandboxed command may reach. Pure. */
import { BlockList, isIP } from 'node:net'

/** Registries of packages, by the name that a setting may use for them. */
const HOST_PRESETS: Readonly<Record<string, readonly string[]>> = {
  npm: ['registry.npmjs.org', 'registry.yarnpkg.com'],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  crates: ['index.crates.io', 'static.crates.io', 'crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  debian: ['deb.debian.org', 'security.debian.org', 'archive.ubuntu.com', 'security.ubuntu.com'],
}

/** Without a port, a rule is for HTTPS and HTTP. */
const DEFAULT_PORTS: readonly number[] = [443, 80]
const LOOPBACK = ['127.0.0.1', '::1']

export type HostRule = { ports: readonly number[] } & (
  | { is: 'name'; name: string; withSubdomains: boolean }
  | { is: 'addresses'; range: BlockList }
)

export type HostTarget = { host: string; port: number }

/** Undefined if the text is no rule. It may name a preset, or a host, address or range, with or without a port. */
export function parseHostRule(text: string): HostRule[] | undefined {
  const preset = Object.hasOwn(HOST_PRESETS, text) ? HOST_PRESETS[text] : undefined
  if (preset !== undefined) return preset.flatMap((name) => parseHostRule(name) ?? [])
  const { host, port } = splitPort(text)
  if (port !== undefined && !(port >= 1 && port <= 65_535)) return undefined
  const ports = port === undefined ? DEFAULT_PORTS : [port]
  const range = parseRange(host)
  if (range !== undefined) return [{ is: 'addresses', range, ports }]
  const withSubdomains = host.startsWith('*.')
  const name = (withSubdomains ? host.slice(2) : host).toLowerCase()
  if (!isHostName(name)) return undefined
  const rule = { is: 'name', name, withSubdomains, ports } as const
  return name === 'localhost' ? [rule, ...LOOPBACK.flatMap((each) => rangeRule(each, ports))] : [rule]
}

/** Why a command may not connect to a host, or undefined if it may. What a name resolves to is checked separately. */
export function refusalOf(
  { host, port }: HostTarget,
  rules: readonly HostRule[],
): 'not listed' | 'port not listed' | undefined {
  const matching =
    isIP(host) > 0 ? rules.filter((rule) => hasAddress(rule, host)) : rules.filter((rule) => hasName(rule, host))
  if (matching.length === 0) return 'not listed'
  return matching.some(({ ports }) => ports.includes(port)) ? undefined : 'port not listed'
}

/** Whether a name may resolve to this address: a private one has to be listed itself. */
export function permitsAddress(address: string, rules: readonly HostRule[]): boolean {
  return !isPrivate(address) || rules.some((rule) => hasAddress(rule, address))
}

/** Only root may open a port below it. */
const FIRST_FREE_PORT = 1024

/** The ports of the host's loopback that are listed: the forwarder opens them inside, where it is not root. */
export function loopbackPorts(rules: readonly HostRule[]): number[] {
  const listed = rules.filter((rule) => rule.ports !== DEFAULT_PORTS && hasAddress(rule, '127.0.0.1'))
  return [...new Set(listed.flatMap(({ ports }) => ports))].filter((port) => port >= FIRST_FREE_PORT)
}

/** `host:port`, as in a request line; an address of IPv6 is in brackets. */
export function parseTarget(text: string): HostTarget | undefined {
  const { host, port } = splitPort(text)
  const isUsable =
    port !== undefined && port >= 1 && port <= 65_535 && (isIP(host) > 0 || isHostName(host.toLowerCase()))
  return isUsable ? { host: host.toLowerCase(), port } : undefined
}

function splitPort(text: string): { host: string; port?: number } {
  const [, bracketed, bare = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? bare
  if (host === '') return { host: text }
  return port === undefined ? { host } : { host, port: Number(port) }
}

function parseRange(text: string): BlockList | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 4 ? 32 : 128
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest)
  if (family === 0 || !isRange || rest.length > 0) return undefined
  const range = new BlockList()
  range.addSubnet(address, bits === undefined ? widest : Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return range
}

function rangeRule(address: string, ports: readonly number[]): HostRule[] {
  const range = parseRange(address)
  return range === undefined ? [] : [{ is: 'addresses', range, ports }]
}

function isHostName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/.test(name) &&
    !/^[0-9.]+$/.test(name)
  )
}

function hasName(rule: HostRule, host: string): boolean {
  return rule.is === 'name' && (rule.name === host || (rule.withSubdomains && host.endsWith(`.${rule.name}`)))
}

function hasAddress(rule: HostRule, address: string): boolean {
  return rule.is === 'addresses' && rule.range.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Addresses of this machine, of its network, and those that stand for others (https://www.iana.org/assignments). */
const PRIVATE = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...[
    '::/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '2001::/32',
    '2002::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
].flatMap((text) => parseRange(text) ?? [])

function isPrivate(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return isPrivate(mapped)
  return /^::ffff:/i.test(address) || PRIVATE.some((range) => range.check(address, familyOf(address)))
}
