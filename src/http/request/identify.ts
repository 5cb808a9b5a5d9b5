/** Identifies a request and its sender: request id, trace, client address, API key. */
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { TraceContext } from '../../agents/adapter/agent.ts'
import type { ApiKey, KeyRing } from '../../config/api-keys.ts'
import { redactSecrets } from '../../kit/redact.ts'
import type { LoginProof } from '../context/logins.ts'
import type { WrongKey } from '../context/wrong-keys.ts'
import { unauthorized } from '../errors/faults.ts'

/** Request ids are written to logs and headers, so only harmless characters are accepted. */
const REQUEST_ID = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/**
 * The request id that the client sent, if it is valid. Some clients put their key there, and logs must not have it. The valid keys are
 * not asked: the answer would tell whether a guess is right.
 */
export function requestIdFrom(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-request-id']
  if (typeof id !== 'string' || !REQUEST_ID.test(id) || redactSecrets(id) !== id) return undefined
  const sent = [headers['x-api-key'], bearerToken(headers.authorization)]
  return sent.some((key) => typeof key === 'string' && key !== '' && id.includes(key)) ? undefined : id
}

/**
 * The `traceparent` header of W3C Trace Context (https://www.w3.org/TR/trace-context/): version, trace id, parent id and
 * flags in lowercase hexadecimal. Later versions may append fields. Version `ff` and all-zero ids are invalid.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[\x20-\x7e]*)?$/

const MAX_TRACEPARENT_LENGTH = 512

/** An invalid header is ignored: tracing must never fail a request. */
export function readTrace(headers: IncomingHttpHeaders): RequestTrace | undefined {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT_LENGTH) return undefined
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  // Node joins several `tracestate` headers with commas, as the specification requires.
  const isValid = typeof tracestate === 'string' && isTracestate(tracestate)
  return { traceId, traceparent, ...(isValid && { tracestate }) }
}

/** A key, which may name a tenant, `=`, and a value that does not end with a space. */
const TRACESTATE_MEMBER =
  /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

const MAX_TRACESTATE_MEMBERS = 32

function isTracestate(header: string): boolean {
  const members = header.split(',').map((member) => member.trim())
  const named = members.filter((member) => member !== '')
  return (
    named.length > 0 && named.length <= MAX_TRACESTATE_MEMBERS && named.every((each) => TRACESTATE_MEMBER.test(each))
  )
}

/** For Fastify's `trustProxy`. The configuration has validated the IP addresses and CIDR ranges. */
export function trustedProxies(ranges: readonly string[]): false | ((address: string | undefined) => boolean) {
  if (ranges.length === 0) return false
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    if (bits === undefined) list.addAddress(address, addressFamily(address))
    else list.addSubnet(address, Number(bits), addressFamily(address))
  }
  // On a Unix socket Fastify passes undefined.
  return (text = '') => {
    const address = plainAddress(text)
    return address !== undefined && list.check(address, addressFamily(address))
  }
}

/**
 * The client's address. `ips` is only set behind trusted proxies: Fastify lists the peer and then the entries of
 * `X-Forwarded-For` from the right, as far as a trusted proxy added them. An entry that is not an IP address ends the list.
 */
export function clientAddress({ ip, ips }: { ip: string | undefined; ips?: (string | undefined)[] }): string {
  if (ips === undefined) return peerAddress(ip)
  const hops = ips.map((hop) => plainAddress(hop ?? ''))
  const end = hops.indexOf(undefined)
  return (end === -1 ? hops : hops.slice(0, end)).at(-1) ?? peerAddress(ips[0])
}

/** A Unix socket has no address. */
export const LOCAL_ADDRESS = 'local'

/** The normalized address of the other end of a connection. */
export function peerAddress(peer: string | undefined): string {
  return peer === undefined ? LOCAL_ADDRESS : (plainAddress(peer) ?? peer)
}

/** Without port, brackets, zone and IPv4-in-IPv6 prefix; undefined if the text is not an IP address. */
function plainAddress(text: string): string | undefined {
  // Stryker disable next-line ConditionalExpression: it only saves time
  if (isIP(text) === 4) return text
  const withoutPort = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  const address = withoutPort.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')
  return isIP(address) === 0 ? undefined : address
}

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** `wrong` says how the answer to an invalid key is delayed. */
export type KeyCheck =
  | { result: 'valid'; key: ApiKey }
  | { result: 'missing' }
  | { result: 'invalid'; wrong?: WrongKey }

/** `X-Api-Key` takes precedence: many clients send a placeholder in `Authorization`. */
export function checkKey(headers: IncomingHttpHeaders, keys: KeyRing): KeyCheck {
  const own = headers['x-api-key']
  const presented = typeof own === 'string' && own !== '' ? own : bearerToken(headers.authorization)
  if (presented === undefined) return { result: 'missing' }
  const key = keys.find(presented)
  return key === undefined ? { result: 'invalid' } : { result: 'valid', key }
}

/** RFC 7235: the scheme is case-insensitive. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^bearer[ \t]+(\S(?:.*\S)?)[ \t]*$/i.exec(header ?? '')?.[1]
}

/** These endpoints reveal no user data. A webhook is signed. */
const OPEN_PATHS =
  /^(?:\/|\/console\/.*|\/api\/v1\/login|\/hooks\/github|\/health|\/ready|\/openapi\.json|\/docs|\/docs\/.*)$/

/** A login has a key or a token of a link. */
const OPEN_BODY_BYTES = 4096
/** An issue and a comment of the largest size, with every character escaped. */
const HOOK_BODY_BYTES = 1024 * 1024

/** How long a body may be; 0 means no limit. Of a sender that is not known, only those of open endpoints are read at all. */
export function bodyLimitFor(path: string, { isKnown, limitBytes }: { isKnown: boolean; limitBytes: number }): number {
  const isHook = path === '/hooks/github'
  if ((isKnown && !isHook) || !OPEN_PATHS.test(path)) return limitBytes
  const most = isHook ? HOOK_BODY_BYTES : OPEN_BODY_BYTES
  return limitBytes === 0 ? most : Math.min(limitBytes, most)
}

export function requireKey(
  { path, check }: { path: string; check: KeyCheck },
  { keys, isMetricsPublic }: { keys: KeyRing; isMetricsPublic: boolean },
): void {
  const isOpen = OPEN_PATHS.test(path) || (isMetricsPublic && path === '/metrics')
  if (!keys.isRequired || isOpen || check.result === 'valid') return
  throw unauthorized({ problem: check.result })
}

/** What the guards and the endpoint know about a request. The access log, the metrics and the rate limit use it. */
type RequestFacts = {
  /** The client's address, behind trusted proxies; `local` on a Unix socket. */
  address: string
  trace: RequestTrace | undefined
  /** How many agents are between the user and the sender, if it says so. */
  depth: number | undefined
  /** The valid API key of the request, with its name and role. Undefined if the server has no keys. */
  key: ApiKey | undefined
  /** It came over the local socket, so its sender is the user of the server. */
  isLocalUser: boolean
  /** 0 means no limit. */
  bodyLimitBytes: number
  /** The login to the console, if the request comes from there. */
  login?: LoginProof
  /** It ends the login that it uses. Its response is sent all the same. */
  endsAccess?: boolean
  /** It asks for a file of the console. The log has such a request only if it fails: a browser sends many at once. */
  isForConsoleFile?: boolean
  /** Its path, if no endpoint has it: only the words that are safe to log. */
  unknownPath?: string
  /** The code of the error response. */
  errorCode?: string
  /** The log has a line for the failure of its agent. */
  isFailureLogged?: true
  /** Set by endpoints that run prompts. Prompts and answers are only logged with `--log-prompts`. */
  backends?: readonly string[]
  prompts?: readonly string[]
  answers?: readonly string[]
}

/** `tracestate` is undefined if the header is missing or invalid. */
type RequestTrace = TraceContext & { traceId: string }

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be merged with Fastify's
  interface FastifyContextConfig {
    /** The endpoint gets the bytes of the body, because they are signed. */
    isRaw?: true
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be merged with Fastify's
  interface FastifyRequest {
    /** Set by the first hook. */
    facts: RequestFacts
  }
}
