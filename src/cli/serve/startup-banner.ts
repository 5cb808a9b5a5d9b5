/** The text that `drover serve --verbose` prints when the server listens. Pure. */
import { installAdvice } from '../../agents/install-command.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { baseUrl, formatAddress } from '../../service/server-address.ts'
import { ceilingsOfServer, type SecurityFacts, securityWarnings } from './security-warnings.ts'

export type BannerFacts = SecurityFacts & {
  version: string
  /** The socket for commands of the user. */
  localSocket?: string | undefined
  keySources: readonly string[]
  endpoints: readonly Endpoint[]
  /** Undefined if the server has no console. */
  console?: ConsoleFacts | undefined
}

type Endpoint = { method: string; path: string }

/** `url` logs the user in once if the server has API keys. */
type ConsoleFacts = { url: string; isOneTime: boolean; isBuilt: boolean }

export function startupBanner(facts: BannerFacts): string {
  const sections = [
    [`drover ${facts.version} listens on ${addressText(facts)}`, ...consoleLines(facts)],
    ['Security status', ...securityLines(facts)],
    ...warningSection(facts),
    ['Agents', ...agentLines(facts)],
    ['Endpoints', ...endpointLines(facts.endpoints)],
    ['Try it', ...curlLines(facts)],
    ['Press Ctrl-C to stop'],
  ]
  return `${sections.map(([title, ...lines]) => [title, ...lines.map((line) => `  ${line}`)].join('\n')).join('\n\n')}\n`
}

export function addressText({ bound }: Pick<BannerFacts, 'bound'>): string {
  return 'socket' in bound ? `the Unix socket ${bound.socket}` : `http://${formatAddress(bound)}`
}

/** Without the link that logs in: others may read what is not a terminal. */
function consoleLines({ console, bound }: BannerFacts): string[] {
  if (console === undefined) return []
  if (!console.isBuilt) return ['console: not built in this clone; run "npm run build:console"']
  return [`console: ${baseUrl(bound)}/${console.isOneTime ? ' ("drover open" prints a link that logs you in)' : ''}`]
}

function securityLines(facts: BannerFacts): string[] {
  const { bound, hasKeys, keySources } = facts
  const { server } = facts.config
  const state = (isOn: boolean) => (isOn ? 'enabled' : 'disabled')
  const rows = [
    ['auth', hasKeys ? `enabled (${keySources.join(', ')})` : 'disabled'],
    [
      'rate limit',
      server.rate_limit_enabled
        ? `enabled (${server.rate_limit_rps} per second, burst of ${server.rate_limit_burst})`
        : 'disabled',
    ],
    ['metrics', state(server.metrics_enabled)],
    [
      'trusted proxies',
      server.trusted_proxies.length > 0 ? `enabled (${server.trusted_proxies.join(', ')})` : 'disabled',
    ],
    ['bind host', 'socket' in bound ? 'none (Unix socket)' : bound.host],
    ...(facts.localSocket === undefined
      ? []
      : [['local socket', `${facts.localSocket} (only for you, without a key)`]]),
    ['cors origins', server.cors_allowed_origins.join(', ') || 'none'],
    ['workdirs', server.allowed_workdir_prefixes.join(', ') || 'all except the blocked ones'],
    ['ceilings', describeCeilings(facts)],
  ]
  return rows.map(([name = '', value]) => `${name.padEnd(16)} ${value}`)
}

/** Says also why there is one that no one has configured. */
export function describeCeilings(facts: BannerFacts): string {
  const { approval, sandbox } = ceilingsOfServer(facts) ?? {}
  const { max_sandbox_mode: configured, keys } = facts.config.server
  const reason =
    configured === '' ? ' (server.max_sandbox_mode is not set, and others can reach this server without a key)' : ''
  const modes = [
    ...(approval === undefined ? [] : [`approval ${approval.mode}`]),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox.mode}${reason}`]),
  ]
  const own = keys.filter(({ max_approval_mode, max_sandbox_mode }) => max_approval_mode ?? max_sandbox_mode)
  const exceptions = own.length === 0 ? '' : `; separate ones for ${own.map(({ name }) => name).join(', ')}`
  return `${modes.join(', ') || 'none'}${exceptions}`
}

function warningSection(facts: BannerFacts): string[][] {
  const warnings = securityWarnings(facts)
  if (warnings.length === 0) return []
  const lines = warnings.flatMap(({ warning, suggestion }) => [`! ${warning}`, `  suggestion: ${suggestion}`])
  return [['Security warnings', ...lines]]
}

/** What a server that runs no agents says about them. */
export const ELSEWHERE = 'run on the workers ("drover machines" lists them)'

function agentLines(facts: BannerFacts): string[] {
  if (!facts.isWorker) return [ELSEWHERE]
  return [...facts.agents.filter(({ isEnabled }) => isEnabled).map(agentLine), ...agentWarnings(facts)]
}

function agentLine({ backend, program, isDemo, wanted }: AgentLocation): string {
  const install = installAdvice(backend)
  const missing = `not installed (no program "${wanted}"); ${install}`
  const state = isDemo ? `DEMO AGENT; ${install}` : (program?.[0] ?? missing)
  return `${backend.padEnd(8)} ${state}`
}

export function agentWarnings({ agents, isWorker }: Pick<BannerFacts, 'agents' | 'isWorker'>): string[] {
  if (!isWorker) return []
  const enabled = agents.filter(({ isEnabled }) => isEnabled)
  if (!enabled.some(({ program }) => program !== undefined)) {
    return ['! No agent is installed, so no prompt can run. Install one, or start with --demo to try the server.']
  }
  const names = enabled.filter(({ isDemo }) => isDemo).map(({ backend }) => backend)
  if (names.length === 0) return []
  return [`! ${names.join(', ')}: not installed. The built-in demo agent answers with canned text instead.`]
}

const GROUPS: readonly { name: string; prefix: string }[] = [
  { name: 'Native', prefix: '/api/' },
  { name: 'Chat completions', prefix: '/openai/' },
  { name: 'Messages', prefix: '/anthropic/' },
  { name: 'Both without a prefix', prefix: '/v1/' },
  { name: 'Server', prefix: '/' },
]

/** Lists every endpoint once, in the first group whose prefix matches. */
function endpointLines(endpoints: readonly Endpoint[]): string[] {
  const groupOf = ({ path }: Endpoint) => GROUPS.find(({ prefix }) => path.startsWith(prefix))
  return GROUPS.flatMap((group) => {
    const own = endpoints.filter((endpoint) => groupOf(endpoint) === group && !isAsset(endpoint))
    if (own.length === 0) return []
    const lines = own.map(({ method, path }) => `  ${method.padEnd(6)} ${path.replace(/:(\w+)/g, '{$1}')}`)
    return [group.name, ...lines]
  })
}

/** A file that only the /docs page or the console loads. */
export function isAsset({ path }: Endpoint): boolean {
  return path.startsWith('/docs/') || path.startsWith('/console/')
}

function curlLines({ bound, hasKeys, agents, config }: BannerFacts): string[] {
  const usable = agents
    .filter(({ isEnabled, program }) => isEnabled && program !== undefined)
    .map(({ backend }) => backend)
  const backend = usable.includes(config.default_backend)
    ? config.default_backend
    : (usable[0] ?? config.default_backend)
  const socket = 'socket' in bound ? `--unix-socket ${bound.socket} ` : ''
  const key = hasKeys ? `-H "X-Api-Key: $KEY" ` : ''
  return [
    `curl ${socket}${key}${baseUrl(bound)}/api/v1/prompt \\`,
    `  -H 'Content-Type: application/json' -d '{"backend": "${backend}", "prompt": "say hello"}'`,
  ]
}
