import { Type } from 'typebox'
import {
  literals,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalList,
  strict,
  textLike,
} from '../kit/shape.ts'
import { APPROVAL_CEILINGS, BACKEND_NAME, budgetLimit, LONGEST_WAIT_SECS, SANDBOX_CEILINGS } from './backend.shape.ts'
import { CORS_ORIGIN } from './cors-origin.ts'

const LARGEST_RATE = 1_000_000

const seconds = (options: { default: number; minimum: 0 | 1; description: string }) =>
  Type.Integer({ ...options, maximum: LONGEST_WAIT_SECS })

const origin = textLike(CORS_ORIGIN, 'an origin such as https://app.example.com, with at most one * in it, or * alone')

const directory = Type.String({ minLength: 1 })

export const KEY_ROLES = ['client', 'operator', 'admin'] as const

/** The file holds only the digest of a key, so that a reader of the file gets no access. */
export const ServerKey = strict({
  name: textLike('^[A-Za-z0-9._-]{1,64}$', 'a name of 1 to 64 letters, digits, dots, underscores or hyphens', {
    description: 'The name of the key in logs.',
  }),
  id: Type.Optional(
    textLike('^key_[0-9a-f]{24}$', 'an id such as `drover keys create` writes: key_ and 24 hexadecimal digits', {
      description:
        'What belongs to the key is stored under this id. It stays the same if the name or the digest changes. Default: made from the digest.',
    }),
  ),
  sha256: textLike(
    '^(?:sha256:)?[0-9a-fA-F]{64}$',
    'the SHA-256 digest of the key in 64 hexadecimal digits, never the key itself',
    {
      description: 'The SHA-256 digest of the key in hexadecimal, with or without `sha256:` in front.',
      'x-secret': true,
    },
  ),
  role: optionalChoice(
    '`client`: the key sees its own sessions, executions and runs. `operator`: it sees those of every key. `admin`: it also creates and revokes keys, and sees the settings. Default: `client`.',
    KEY_ROLES,
  ),
  rate_limit_rps: optionalInteger('Overrides `server.rate_limit_rps` for this key.', {
    minimum: 1,
    maximum: LARGEST_RATE,
  }),
  rate_limit_burst: optionalInteger('Overrides `server.rate_limit_burst` for this key.', {
    minimum: 1,
    maximum: LARGEST_RATE,
  }),
  max_approval_mode: optionalChoice('Overrides `server.max_approval_mode` for this key.', APPROVAL_CEILINGS),
  max_sandbox_mode: optionalChoice('Overrides `server.max_sandbox_mode` for this key.', SANDBOX_CEILINGS),
  fallback: optionalList(
    'Overrides `server.fallback_rules` for this key: the agents, in this order. Empty: none.',
    textLike(BACKEND_NAME, 'the name of a backend'),
  ),
  budgets: optionalList('How much the key may use, such as `20usd/day`. All of them apply.', budgetLimit),
  expires_at: Type.Optional(
    textLike('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z$', 'a time in UTC such as 2026-12-31T00:00:00Z', {
      description: 'From then on the key is refused. Default: never.',
    }),
  ),
  may_merge: optionalFlag(
    'The key may merge the work of its runs into branches of the repository, and check their branches out there. Default: it may not.',
  ),
  agent_tools: optionalChoice(
    '`none`: the agents of this key have no tools but those of its clients. Default: what a request asks for.',
    ['all', 'none'],
  ),
  mcp_servers: optionalList(
    'Which of `mcp_servers` the agents of this key may use. Empty: none. Default: all, or none if its modes are limited.',
    Type.String({ minLength: 1 }),
  ),
  directories: optionalList(
    'The directories that prompts and runs of this key may work in, with everything beneath them. `server.allowed_workdir_prefixes` and `server.blocked_workdir_prefixes` apply too. Default: all that these two allow.',
    textLike('^/', 'an absolute path'),
    { minItems: 1 },
  ),
  backends: optionalList(
    'The agents that the key may use, also as fallbacks and in its runs. Default: all.',
    textLike(BACKEND_NAME, 'the name of a backend'),
    { minItems: 1 },
  ),
  requires_sandbox: optionalFlag('Every agent of this key runs in a sandbox, as with `sandbox.mode: required`.'),
})

const modelRule = textLike(
  `^[^\\s=,]+=${BACKEND_NAME.slice(1)}`,
  'a rule such as o3-*=codex: a model name, in which * stands for any text, and the name of a backend',
)

/** Model names that say nothing about their vendor. Names with `claude`, `gpt` or `gemini` in them need no rule. */
const MODEL_RULES = [
  ...['*codex*', 'o1', 'o1-*', 'o3', 'o3-*', 'o4', 'o4-*'].map((name) => `${name}=codex`),
  ...['opus', 'sonnet', 'haiku'].map((name) => `${name}=claude`),
]

/** The directories of the operating system. */
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
    description: 'Port to listen on. 0: any free port, which the startup message shows.',
  }),
  local_socket: Type.Boolean({
    default: true,
    description:
      "Listens on the Unix socket `server.sock` in the per-user directory too. Only the user of the server can open it, so requests on it need no API key. The prompts of the user's own commands go through it.",
  }),
  console: Type.Boolean({
    default: true,
    description: 'Serves the web console at `/`.',
  }),
  request_timeout_secs: seconds({
    default: 300,
    minimum: 0,
    description: "Maximum run time of a request's agents in seconds, including streams. 0: no limit.",
  }),
  first_event_timeout_secs: seconds({
    default: 0,
    minimum: 0,
    description:
      'Seconds within which an agent must begin its answer with a text, a thought or a tool call; otherwise it is stopped. Agents retry a busy model service for minutes. 0: no limit.',
  }),
  read_timeout_secs: seconds({
    default: 30,
    minimum: 0,
    description: 'Seconds within which a request must be received. 0: the default.',
  }),
  write_timeout_secs: seconds({
    default: 300,
    minimum: 0,
    description: 'Seconds that one write to a client may block. It does not limit a whole stream. 0: the default.',
  }),
  idle_timeout_secs: seconds({
    default: 120,
    minimum: 0,
    description: 'Seconds until an idle connection is closed. 0: the default.',
  }),
  max_connections: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Maximum number of connections. At the limit, a new one takes the place of the one that was idle the longest; if all are in use, it gets 503. 0: half of the files that the process may open, at most 10000.',
  }),
  max_connections_per_address: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'The same for one client address, or for one /64 network of IPv6; if all are in use, a new one gets 429. It does not apply to `server.trusted_proxies`. 0: half of `server.max_connections`.',
  }),
  max_open_requests_per_key: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Maximum number of requests of one API key that are being answered, streams included; further ones get 429. Without a key, the limit applies to the client address. 0: no limit.',
  }),
  api_keys_gopass_path: textLike(
    '^(?:[A-Za-z0-9/_.][A-Za-z0-9/_.-]*)?$',
    'a gopass path of letters, digits, /, _, . and -, not starting with -',
    {
      default: '',
      description: 'The gopass path of the API keys, a comma-separated list. Empty: gopass is not used.',
      'x-env': ['DROVER_API_KEYS_GOPASS_PATH'],
    },
  ),
  rate_limit_enabled: Type.Boolean({
    default: false,
    description: 'Limits the requests of each API key, or of each client address if there are no keys.',
  }),
  rate_limit_rps: Type.Integer({
    default: 10,
    minimum: 0,
    maximum: LARGEST_RATE,
    description: 'Sustained requests per second.',
    'x-rule': 'at least 1 when `server.rate_limit_enabled` is true',
  }),
  rate_limit_burst: Type.Integer({
    default: 20,
    minimum: 0,
    maximum: LARGEST_RATE,
    description: 'Requests allowed in a burst. 0: twice `server.rate_limit_rps`.',
  }),
  rate_limit_cleanup_secs: seconds({
    default: 180,
    minimum: 0,
    description: 'Seconds until the limiter forgets an inactive client. 0: the default.',
  }),
  trusted_proxies: Type.Array(Type.String(), {
    default: [],
    description: 'Proxies whose `X-Forwarded-For` header is trusted. Empty: none.',
    'x-rule': 'IP addresses or CIDR ranges',
  }),
  max_request_body_bytes: Type.Integer({
    default: 10_485_760,
    minimum: 0,
    maximum: 1_073_741_824,
    description: 'Maximum size of a request body in bytes; a larger one gets 413. 0: no limit.',
    'x-unit': 'bytes',
  }),
  cors_allowed_origins: Type.Array(origin, {
    default: [],
    description:
      'Origins of web pages of other servers that may call this one from a browser. The pages of this server need no entry. Empty: none.',
    'x-rule': 'no `*` alone when `server.cors_allow_credentials` is true',
  }),
  cors_allow_credentials: Type.Boolean({
    default: false,
    description: 'Allows those pages to send cookies and other browser credentials.',
  }),
  cors_max_age: Type.Integer({
    default: 300,
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds that a browser may cache a preflight response. 0: no caching.',
  }),
  allowed_workdir_prefixes: Type.Array(directory, {
    default: [],
    description: 'Directories in which agents may work, including everything below. Empty: all that are not blocked.',
    'x-rule': 'absolute paths',
  }),
  blocked_workdir_prefixes: Type.Array(directory, {
    default: SYSTEM_DIRECTORIES,
    description:
      'Directories in which no agent may work, including everything below. Entries are added to the built-in list.',
    'x-rule': 'absolute paths',
    'x-united': true,
  }),
  metrics_enabled: Type.Boolean({ default: false, description: 'Serves `/metrics` for Prometheus.' }),
  metrics_public: Type.Boolean({ default: false, description: 'Serves `/metrics` without an API key.' }),
  errors_base: textLike('^https?://[^\\s?#]*[^\\s?#/]$', 'an http or https address without a / at its end', {
    default: 'https://drover.dev/errors',
    description: 'The base URL of the `type` of a problem document.',
  }),
  vendor_errors: Type.Boolean({
    default: false,
    description:
      'Sends errors of the compatible APIs exactly as the vendor does, without problem details. For clients that understand no other format.',
  }),
  require_api_version: Type.Boolean({
    default: true,
    description: 'Refuses message requests without an `anthropic-version` header.',
  }),
  model_rules: Type.Array(modelRule, {
    default: MODEL_RULES,
    description:
      'Which backend answers on the compatible APIs for a model name without `claude`, `gpt` and `gemini` in it. The first rule that matches decides. The list replaces the default.',
  }),
  unknown_models: literals(['answer', 'refuse'], {
    default: 'answer',
    description:
      'What the compatible APIs do with a model name that is no backend and matches no rule. `answer`: the first backend answers with its own model, and `X-Drover-Warning` says so. `refuse`: the request gets 404 (`model_not_found`).',
  }),
  fallback_rules: Type.Array(modelRule, {
    default: [],
    description:
      'Which backend gets a prompt of a client if the agent fails with a limit, an outage or a missing login before it begins its answer. The name before `=` is a model, an alias or a backend; every rule that matches adds an agent.',
  }),
  fetch_images: Type.Boolean({
    default: false,
    description:
      'Whether the compatible APIs fetch images that a request names by an `http` or `https` address. Private, loopback and link-local addresses are refused.',
  }),
  fetch_private_hosts: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description: 'Private addresses or ranges that images may be fetched from all the same, such as `10.1.2.0/24`.',
    'x-rule': 'addresses, with or without a range',
  }),
  client_tools: literals(['bridge', 'refuse', 'ignore'], {
    default: 'bridge',
    description:
      'What happens on the compatible APIs to tools that a client offers. `bridge`: the agent may call them, and the client runs them. `refuse`: the request gets 400. `ignore`: they are left out, and named in `X-Drover-Warning`.',
  }),
  tool_wait_secs: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: 86_400,
    description:
      'Seconds that an agent waits for the results of tools that its client runs. Then its turn ends; a later request with the results repeats the conversation in a new session.',
  }),
  max_waiting_turns: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 1024,
    description:
      'Maximum number of agents that wait for such results. They stay in memory, but do not count as running. One more stops the oldest turn of the key that has most of them.',
  }),
  max_concurrent_runs: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1024,
    description: 'Maximum number of agents that run at the same time; further prompts are queued.',
  }),
  max_queued_runs: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 100_000,
    description:
      'Maximum number of queued prompts; further requests get 503, except of a key that has less than an equal share of the queue. 0: no queue.',
  }),
  mcp_wait_secs: Type.Integer({
    default: 45,
    minimum: 0,
    maximum: 3600,
    description:
      'Seconds that an MCP tool waits for its work to finish before it returns a handle. Use less than the time limit of the clients, which is often 60 seconds. 0: answer immediately.',
  }),
  max_nesting: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 100,
    description:
      'How deep agents may call drover: 1 lets the agent of a prompt call drover again, but not the agents that this starts. 0: no agent may. It applies to the command line too.',
  }),
  allow_unsafe_extra: Type.Boolean({
    default: false,
    description: 'Allows any argument in `extra` of a request, even one that disables approval or sandbox.',
  }),
  max_approval_mode: literals(['', ...APPROVAL_CEILINGS], {
    default: '',
    description:
      'The most that a request may let an agent do without approval: nothing (`always`), edit files (`auto`) or everything (`none`). A request above it is refused, a configured mode above it is lowered. Empty: no limit.',
  }),
  max_sandbox_mode: literals(['', ...SANDBOX_CEILINGS], {
    default: '',
    description:
      'The highest sandbox mode for requests: `read-only`, then `workspace`, then `full`. Empty: no limit, but `read-only` on a network address without keys.',
  }),
  public_url: textLike('^(?:https?://[^\\s?#()]*[^\\s?#()/])?$', 'an http or https address without a / at its end', {
    default: '',
    description:
      'The address at which people reach the console of this server: for links to runs in comments on issues. Empty: comments name only the id of the run.',
  }),
  webhook_secret_file: Type.String({
    default: '',
    description:
      'The file with the secret of a GitHub webhook, in one line of at least 16 characters. It turns `/hooks/github` on. Empty: it is off.',
    'x-rule': 'an absolute path',
  }),
  keys: Type.Array(ServerKey, {
    default: [],
    description: 'Digests of API keys, each with a name and optionally its own role, rate limit and highest modes.',
    'x-rule': 'each name, each id and each digest once',
    'x-applies': 'at_once',
  }),
})
