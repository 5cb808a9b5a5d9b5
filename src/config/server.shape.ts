import { Type } from 'typebox'
import { strict, textLike } from '../kit/shape.ts'

/** Longer than any sensible wait, and short enough for a timer: Node fires one of more than 2^31 ms at once. */
export const LONGEST_WAIT_SECS = 604_800

const LARGEST_RATE = 1_000_000

const seconds = (options: { default: number; minimum: 0 | 1; description: string }) =>
  Type.Integer({ ...options, maximum: LONGEST_WAIT_SECS })

const origin = textLike(
  '^(?:\\*|[A-Za-z][A-Za-z0-9+.-]*://(?=[^/])[^\\s/,*]*\\*?[^\\s/,*]*)$',
  'an origin such as https://app.example.com, with at most one * in it, or * alone',
)

const directory = Type.String({ minLength: 1 })

/** A key is known by its digest, so that reading the file does not let anyone in. */
const ServerKey = strict({
  name: textLike('^[A-Za-z0-9._-]{1,64}$', 'a name of 1 to 64 letters, digits, dots, underscores or hyphens', {
    description: 'What logs call the key.',
  }),
  sha256: textLike(
    '^(?:sha256:)?[0-9a-fA-F]{64}$',
    'the SHA-256 digest of the key in 64 hexadecimal digits, never the key itself',
    {
      description: 'The SHA-256 digest of the key in hexadecimal, with or without `sha256:` in front.',
      'x-secret': true,
    },
  ),
  rate_limit_rps: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_RATE, description: 'In place of `server.rate_limit_rps`.' }),
  ),
  rate_limit_burst: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_RATE, description: 'In place of `server.rate_limit_burst`.' }),
  ),
})

/** The directories that hold the system itself. */
const SYSTEM_DIRECTORIES = [
  '/etc',
  '/var/run',
  '/var/lock',
  '/root',
  '/sys',
  '/proc',
  '/dev',
  '/usr/bin',
  '/usr/sbin',
  '/bin',
  '/sbin',
  '/boot',
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
]

export const ServerSection = strict({
  host: Type.String({
    default: '127.0.0.1',
    maxLength: 253,
    description: 'Address to listen on. `0.0.0.0` and `::` open the server to the network: set keys first.',
    'x-rule': 'an IP address or a host name',
  }),
  port: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on. 0: any free one, which the start-up text names.',
  }),
  request_timeout_secs: seconds({
    default: 300,
    minimum: 0,
    description: "Seconds a request's agents may run, streams too. 0: no limit.",
  }),
  read_timeout_secs: seconds({ default: 30, minimum: 1, description: 'Seconds within which a request must arrive.' }),
  write_timeout_secs: seconds({
    default: 300,
    minimum: 1,
    description: 'Seconds one write to a client may stall. It does not bound a whole stream.',
  }),
  idle_timeout_secs: seconds({
    default: 120,
    minimum: 1,
    description: 'Seconds an idle connection is kept open for the next request.',
  }),
  api_keys_gopass_path: textLike(
    '^(?:[A-Za-z0-9/_.][A-Za-z0-9/_.-]*)?$',
    'a gopass path of letters, digits, /, _, . and -, not starting with -',
    {
      default: '',
      description: 'Where gopass keeps the API keys, as a comma-separated list. Empty: not asked.',
      'x-env': ['DROVER_API_KEYS_GOPASS_PATH'],
    },
  ),
  rate_limit_enabled: Type.Boolean({
    default: false,
    description: 'Limits the requests of each API key, and without keys of each client address.',
  }),
  rate_limit_rps: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: LARGEST_RATE,
    description: 'Requests per second that are allowed in the long run.',
    'x-rule': 'at least 1 when `server.rate_limit_enabled` is true',
  }),
  rate_limit_burst: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: LARGEST_RATE,
    description: 'Requests that are allowed at once before the rate counts.',
  }),
  rate_limit_cleanup_secs: seconds({
    default: 180,
    minimum: 1,
    description: 'Seconds after which a client that was not seen again is forgotten.',
  }),
  trusted_proxies: Type.Array(Type.String(), {
    default: [],
    description: 'Proxies whose `X-Forwarded-For` is believed. Empty: nobody is.',
    'x-rule': 'IP addresses or CIDR ranges',
  }),
  max_request_body_bytes: Type.Integer({
    default: 10_485_760,
    minimum: 0,
    maximum: 1_073_741_824,
    description: 'Largest request body in bytes; more is answered with 413. 0: no limit.',
  }),
  cors_allowed_origins: Type.Array(origin, {
    default: ['http://localhost:*', 'http://127.0.0.1:*'],
    description: 'Web pages that may call the server from a browser. The list replaces the default one.',
    'x-rule': 'no `*` alone when `server.cors_allow_credentials` is true',
  }),
  cors_allow_credentials: Type.Boolean({
    default: false,
    description: 'Lets those pages send cookies and other credentials of the browser.',
  }),
  cors_max_age: Type.Integer({
    default: 300,
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds a browser may remember the answer to a preflight. 0: it asks every time.',
  }),
  allowed_workdir_prefixes: Type.Array(directory, {
    default: [],
    description: 'Directories that agents may work in, with everything under them. Empty: all that are not blocked.',
    'x-rule': 'absolute paths',
  }),
  blocked_workdir_prefixes: Type.Array(directory, {
    default: SYSTEM_DIRECTORIES,
    description: 'Directories that no agent may work in, with everything under them. Entries add to the built-in list.',
    'x-rule': 'absolute paths',
    'x-united': true,
  }),
  metrics_enabled: Type.Boolean({ default: false, description: 'Serves `/metrics` for Prometheus.' }),
  metrics_public: Type.Boolean({ default: false, description: 'Serves `/metrics` without an API key.' }),
  errors_base: textLike('^https?://[^\\s?#]*[^\\s?#/]$', 'an http or https address without a / at its end', {
    default: 'https://drover.dev/errors',
    description: 'What the `type` of a problem document starts with.',
  }),
  require_api_version: Type.Boolean({
    default: true,
    description: 'Refuses message requests without an `anthropic-version` header.',
  }),
  max_concurrent_runs: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1024,
    description: 'Agents that run at once for the whole server; further ones wait their turn.',
  }),
  max_queued_runs: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 100_000,
    description: 'Agents that may wait; beyond them requests are answered with 503. 0: nothing waits.',
  }),
  allow_unsafe_extra: Type.Boolean({
    default: false,
    description: 'Lets `extra` of a request hold any argument, even one that lifts approval or sandbox.',
  }),
  keys: Type.Array(ServerKey, {
    default: [],
    description: 'API keys by their digests, each with a name and, if wanted, a rate limit of its own.',
    'x-rule': 'each name and each digest once',
  }),
})
